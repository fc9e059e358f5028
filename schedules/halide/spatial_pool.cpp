// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// spatial_pool: the greatest or the mean value of each window of a map,
/// channel by channel.
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"
#include "window.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildSpatialPool(const families::SpatialPoolShape &spec,
                        Schedule &schedule, const Machine &machine) {
  const Windows w(spec);
  const bool greatest = spec.kind == families::SpatialPoolKind::Max,
             padZero = spec.padZero;
  const int ldx = spec.ldx, ldc = spec.ldc;
  int width =
      std::min(paddedColumns(w.channels, ldx), paddedColumns(w.channels, ldc));
  int lanes = machine.lanesFor(width);

  // ---- Algorithm. A coordinate beyond the map is moved to its border: for a
  // maximum that changes nothing, since the border's pixel is in the window as
  // well; for a sum such values count as zero.
  Kernel kernel;
  ImageParam x =
      kernel.input("x", {{width, 1},
                         {w.width, ldx},
                         {w.height, int64_t(w.width) * ldx},
                         {w.batch, int64_t(w.height) * w.width * ldx}});
  Var c("c"), ox("x"), oy("y"), b("b");
  RDom k(0, w.kernelW, 0, w.kernelH, "k");
  Func reduced("reduced"), out("out");
  Expr left = ox * w.strideW - w.padLeft, top = oy * w.strideH - w.padTop;
  Expr px = left + k.x, py = top + k.y;
  Expr inside = px >= 0 && px < w.width && py >= 0 && py < w.height;
  Expr value =
      w.padded ? x(c, clamp(px, 0, w.width - 1), clamp(py, 0, w.height - 1), b)
               : x(c, px, py, b);
  Expr result;
  if (greatest) {
    reduced(c, ox, oy, b) = Float(32).min();
    reduced(c, ox, oy, b) = greaterOf(reduced(c, ox, oy, b), value);
    result = reduced(c, ox, oy, b);
    if (padZero && w.padded)
      result = select(left < 0 || left + w.kernelW > w.width || top < 0 ||
                          top + w.kernelH > w.height,
                      greaterOf(result, 0.0f), result);
  } else {
    reduced(c, ox, oy, b) = 0.0f;
    reduced(c, ox, oy, b) =
        strict_float(reduced(c, ox, oy, b) +
                     (w.padded ? select(inside, value, 0.0f) : value));
    Expr count = w.kernelW * w.kernelH;
    if (w.padded && !padZero)
      count = (min(left + w.kernelW, w.width) - max(left, 0)) *
              (min(top + w.kernelH, w.height) - max(top, 0));
    result = strict_float(reduced(c, ox, oy, b) / cast<float>(count));
  }
  out(c, ox, oy, b) = result;
  int64_t row = int64_t(w.outW) * ldc;
  kernel.output(
      out, "out",
      {{width, 1}, {w.outW, ldc}, {w.outH, row}, {w.batch, row * w.outH}});

  if (machine.gpu()) {
    scheduleInThread(reduced, scheduleElements(out, readThreads(schedule)));
    return kernel;
  }

  // ---- Schedule. Some vectors of a pixel are reduced in registers; a tap's
  // address serves them all.
  int block = lanes * divisorUpTo(width / lanes, 8);
  Var co("co"), ci("ci");
  out.split(c, co, ci, block).vectorize(ci, lanes).unroll(ci);
  scheduleLines(out, w.outH, w.batch,
                /*flopsPerLine=*/2.0 * w.outW * width * w.kernelW * w.kernelH,
                schedule);
  reduced.compute_at(out, co)
      .store_in(MemoryType::Register)
      .bound_extent(c, block)
      .vectorize(c, lanes)
      .unroll(c);
  reduced.update().reorder(c, k.x, k.y).vectorize(c, lanes).unroll(c);
  return kernel;
}

} // namespace vitc::halide
