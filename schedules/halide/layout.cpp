// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// window and space_to_depth: rows of a feature map in another order. Bound by
/// memory: whole rows are copied, vector by vector.
#include "gpu/elements.h"
#include "kernel.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

/// Schedules `out`, a copy whose innermost dimension is a row's channels: the
/// two outermost dimensions, `lines` in all, are shared out in blocks
/// (schedule parameters block_lines, parallel). An element costs about as much
/// as four FLOPs.
static void scheduleCopy(Func out, int cols, int lines, double floatsPerLine,
                         Schedule &schedule, const Machine &machine) {
  if (machine.gpu()) {
    scheduleElements(out, readThreads(schedule));
    return;
  }
  constexpr double flopsPerElement = 4, flopsPerTask = 2e5;
  double flopsPerLine = flopsPerElement * floatsPerLine;
  int block = schedule.get(
      "block_lines",
      "rows of windows, or of the map that is written, of a task",
      int(std::min<double>(lines, std::ceil(flopsPerTask / flopsPerLine))),
      Values(1, lines).forThreads());
  int tasks = (lines + block - 1) / block;
  bool parallel = schedule.parallel(worthParallel(flopsPerLine * block, tasks));

  std::vector<Var> args = out.args();
  Var line("line"), task("task");
  out.vectorize(args[0], machine.lanes,
                cols % machine.lanes == 0 ? TailStrategy::RoundUp
                                          : TailStrategy::GuardWithIf)
      .fuse(args[args.size() - 2], args.back(), line);
  if (parallel)
    out.split(line, task, line, block, TailStrategy::GuardWithIf)
        .parallel(task);
}

/// `value(y, x)` inside a map of `height` x `width`, zero beyond its lower and
/// right edge. `whole`: all of y and x is inside.
static Expr orZero(const std::function<Expr(Expr, Expr)> &value, Expr y, Expr x,
                   int height, int width, bool whole) {
  if (whole)
    return value(y, x);
  return select(y < height && x < width,
                value(min(y, height - 1), min(x, width - 1)), 0.0f);
}

Kernel buildWindow(const families::WindowShape &spec, Schedule &schedule,
                   const Machine &machine) {
  const int images = spec.images, gridH = spec.gridH, gridW = spec.gridW,
            windowH = spec.windowH, windowW = spec.windowW,
            shiftH = spec.shiftH, shiftW = spec.shiftW, cols = spec.cols,
            ldx = spec.ldx, ldy = spec.ldy;
  const bool partition = spec.direction == families::WindowDirection::Partition,
             grid = spec.order == families::WindowOrder::Grid;
  const int countY = spec.windowsH(), countX = spec.windowsW(),
            paddedH = countY * windowH, paddedW = countX * windowW;
  int width = std::min(paddedColumns(cols, ldx), paddedColumns(cols, ldy));

  // ---- Algorithm. In windows a pixel is (tx, ty) of window (wx, wy); the
  // order is a matter of strides.
  Kernel kernel;
  int mapStride = partition ? ldx : ldy, windowStride = partition ? ldy : ldx;
  const std::vector<Dimension> map = {
      {width, 1},
      {gridW, mapStride},
      {gridH, int64_t(gridW) * mapStride},
      {images, int64_t(gridH) * gridW * mapStride}};
  int pixels = windowH * windowW, count = countY * countX;
  int64_t pixel = grid ? int64_t(count) * windowStride : windowStride,
          window = grid ? windowStride : int64_t(pixels) * windowStride;
  const std::vector<Dimension> windows = {
      {width, 1},
      {windowW, pixel},
      {windowH, windowW * pixel},
      {countX, window},
      {countY, countX * window},
      {images, int64_t(count) * pixels * windowStride}};

  Var c("c"), b("b");
  Func out("out");
  ImageParam x = kernel.input("x", partition ? map : windows);
  if (partition) {
    Var tx("tx"), ty("ty"), wx("wx"), wy("wy");
    Expr row = (wy * windowH + ty + shiftH % paddedH) % paddedH,
         column = (wx * windowW + tx + shiftW % paddedW) % paddedW;
    out(c, tx, ty, wx, wy, b) =
        orZero([&](Expr row, Expr column) { return x(c, column, row, b); }, row,
               column, gridH, gridW, paddedH == gridH && paddedW == gridW);
    kernel.output(out, "out", windows);
  } else {
    Var column("column"), row("row");
    Expr y = (row + paddedH - shiftH % paddedH) % paddedH,
         x0 = (column + paddedW - shiftW % paddedW) % paddedW;
    out(c, column, row, b) =
        x(c, x0 % windowW, y % windowH, x0 / windowW, y / windowH, b);
    kernel.output(out, "out", map);
  }

  // ---- Schedule
  int lines = images * (partition ? countY : gridH);
  double pixelsPerLine = partition ? double(countX) * pixels : gridW;
  scheduleCopy(out, width, lines, pixelsPerLine * width, schedule, machine);
  return kernel;
}

Kernel buildSpaceToDepth(const families::SpaceToDepthShape &spec,
                         Schedule &schedule, const Machine &machine) {
  const int images = spec.images, gridH = spec.gridH, gridW = spec.gridW,
            blockH = spec.blockH, blockW = spec.blockW, cols = spec.cols,
            ldx = spec.ldx, ldy = spec.ldy, outH = spec.outH(),
            outW = spec.outW();
  const bool byRows = spec.order == families::BlockOrder::Rows;

  // ---- Algorithm
  Kernel kernel;
  ImageParam x = kernel.input("x", {{cols, 1},
                                    {gridW, ldx},
                                    {gridH, int64_t(gridW) * ldx},
                                    {images, int64_t(gridH) * gridW * ldx}});
  Var c("c"), dx("dx"), dy("dy"), X("X"), Y("Y"), b("b");
  Func out("out");
  out(c, dx, dy, X, Y, b) =
      orZero([&](Expr row, Expr column) { return x(c, column, row, b); },
             Y * blockH + dy, X * blockW + dx, gridH, gridW,
             outH * blockH == gridH && outW * blockW == gridW);
  kernel.output(out, "out",
                {{cols, 1},
                 {blockW, int64_t(cols) * (byRows ? 1 : blockH)},
                 {blockH, int64_t(cols) * (byRows ? blockW : 1)},
                 {outW, ldy},
                 {outH, int64_t(outW) * ldy},
                 {images, int64_t(outH) * outW * ldy}});

  // ---- Schedule
  scheduleCopy(out, cols, images * outH, double(outW) * blockH * blockW * cols,
               schedule, machine);
  return kernel;
}

} // namespace vitc::halide
