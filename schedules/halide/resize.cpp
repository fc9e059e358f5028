// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// resize: a map on another grid, bilinear, pixels being squares with a value
/// at their centre (torch.nn.functional.interpolate with align_corners=False).
#include "gpu/elements.h"
#include "kernel.h"
#include "window.h"

#include <limits>

using namespace Halide;

namespace vitc::halide {

namespace {
/// Where an output lies between two inputs.
struct Between {
  Expr before, after, part;
};
} // namespace

/// Output i of `outputs` lies at (i + 1/2) * inputs / outputs - 1/2. In
/// integers over 2 * outputs that is exact, however large the map is.
static Between between(Expr i, int inputs, int outputs) {
  int unit = 2 * outputs;
  Expr position = max((2 * i + 1) * inputs - outputs, 0);
  Expr before = min(position / unit, inputs - 1);
  return {before, min(before + 1, inputs - 1),
          cast<float>(position % unit) * float(1.0 / unit)};
}

Kernel buildResize(Fields &spec, Schedule &schedule, const Machine &machine) {
  int batch = spec.integer("batch", 1), height = spec.integer("height", 1),
      width = spec.integer("width", 1), outH = spec.integer("out_h", 1),
      outW = spec.integer("out_w", 1), cols = spec.integer("cols", 1);
  int ldx = rowStride(spec, "ldx", cols), ldy = rowStride(spec, "ldy", cols);
  constexpr double most = std::numeric_limits<int>::max();
  if (2.0 * outH * height > most)
    spec.fail("out_h", "times height is more than 2^30");
  if (2.0 * outW * width > most)
    spec.fail("out_w", "times width is more than 2^30");
  if (double(batch) * height * width * ldx > most)
    throw SpecError("x: the buffer has more than 2^31 elements");
  if (double(batch) * outH * outW * ldy > most)
    throw SpecError("out: the buffer has more than 2^31 elements");
  int written = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm
  Kernel kernel;
  ImageParam map = kernel.input("x", {{written, 1},
                                      {width, ldx},
                                      {height, int64_t(width) * ldx},
                                      {batch, int64_t(height) * width * ldx}});
  Var c("c"), x("x"), y("y"), b("b");
  Func out("out");
  Between h = between(x, width, outW), v = between(y, height, outH);
  auto mix = [](Expr before, Expr after, Expr part) {
    return strict_float(before + (after - before) * part);
  };
  auto line = [&](Expr row) {
    return mix(map(c, h.before, row, b), map(c, h.after, row, b), h.part);
  };
  out(c, x, y, b) = mix(line(v.before), line(v.after), v.part);
  int64_t row = int64_t(outW) * ldy;
  kernel.output(out, "out",
                {{written, 1}, {outW, ldy}, {outH, row}, {batch, row * outH}});

  // ---- Schedule. A pixel's position serves all its channels.
  if (machine.gpu()) {
    scheduleElements(out, readThreads(schedule));
    return kernel;
  }
  out.vectorize(c, machine.lanesFor(written));
  scheduleLines(out, outH, batch,
                /*flopsPerLine=*/12.0 * outW * written, schedule);
  return kernel;
}

} // namespace vitc::halide
