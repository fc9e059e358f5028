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

Kernel buildResize(const families::ResizeShape &spec, Schedule &schedule,
                   const Machine &machine) {
  const int batch = spec.batch, height = spec.height, width = spec.width,
            outH = spec.outH, outW = spec.outW, cols = spec.cols,
            ldx = spec.ldx, ldy = spec.ldy;
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
