// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window.h"

#include "gpu/elements.h"

#include <cmath>

using namespace Halide;

namespace vitc::halide {

WindowSource readMap(Kernel &kernel, const Windows &windows, bool planes,
                     int ldx, int pixelFloats) {
  const Windows &w = windows;
  WindowSource source;
  source.copied = w.padded;
  int64_t height = source.copied ? w.spanH : w.height;
  int64_t width = source.copied ? w.spanW : w.width;
  source.pixel = planes ? 1 : source.copied ? pixelFloats : ldx;
  source.row = width * source.pixel;
  source.plane = height * source.row;
  source.image = planes ? w.channels * source.plane : source.plane;
  source.rows = int(height * w.batch * (planes ? w.channels : 1));
  source.rowFloats = int(source.row);

  Var i("i");
  if (!source.copied) {
    // What the last row has no more.
    int64_t last = planes ? 0 : ldx - paddedColumns(w.channels, ldx);
    ImageParam x = kernel.input("x", {{w.batch * source.image - last, 1}},
                                planes ? floatAlignment : lineAlignment);
    source.map = x;
    return source;
  }

  // Coordinates of the copy's element i. The schedule splits i into just these,
  // so that no division is left.
  Func padded("padded");
  Expr row = i / source.rowFloats, x = i % source.rowFloats;
  if (planes) {
    ImageParam map = kernel.input(
        "x",
        {{w.width, 1},
         {w.height, w.width},
         {int64_t(w.batch) * w.channels, int64_t(w.height) * w.width}},
        floatAlignment);
    Func inside = BoundaryConditions::constant_exterior(
        map, 0.0f, {{0, w.width}, {0, w.height}, {Expr(), Expr()}});
    padded(i) = inside(x - w.padLeft, row % w.spanH - w.padTop, row / w.spanH);
  } else {
    int readable = std::min(pixelFloats, paddedColumns(w.channels, ldx));
    ImageParam map =
        kernel.input("x", {{readable, 1},
                           {w.width, ldx},
                           {w.height, int64_t(w.width) * ldx},
                           {w.batch, int64_t(w.height) * w.width * ldx}});
    Func inside = BoundaryConditions::constant_exterior(
        map, 0.0f,
        {{Expr(), Expr()}, {0, w.width}, {0, w.height}, {Expr(), Expr()}});
    padded(i) =
        inside(min(x % pixelFloats, readable - 1), x / pixelFloats - w.padLeft,
               row % w.spanH - w.padTop, row / w.spanH);
  }
  kernel.scratch(padded, "padded", {{w.batch * source.image, 1}});
  source.map = padded;
  return source;
}

void scheduleMap(WindowSource &source, bool planes, int pixelFloats,
                 bool parallel, const Machine &machine) {
  if (!source.copied)
    return;
  Func padded = source.map;
  Var i = padded.args()[0], row("row"), x("x"), c("c"), task("task");
  padded.split(i, row, i, source.rowFloats, TailStrategy::RoundUp);
  int run = source.rowFloats;
  Var along = i;
  if (!planes) {
    padded.split(i, x, c, pixelFloats, TailStrategy::RoundUp);
    run = pixelFloats;
    along = c;
  }
  // Vectors overlap at the end of a run, where it is not a whole number of
  // them.
  if (run >= machine.lanes)
    padded.vectorize(along, machine.lanes,
                     run % machine.lanes == 0 ? TailStrategy::RoundUp
                                              : TailStrategy::ShiftInwards);
  if (parallel) {
    constexpr double flopsPerFloat = 4; // bound by memory
    int block = 1;
    while (block < source.rows &&
           !worthParallel(flopsPerFloat * source.rowFloats * block, 2))
      ++block;
    padded.split(row, task, row, block, TailStrategy::GuardWithIf)
        .parallel(task);
  }
}

void scheduleMapOnGpu(WindowSource &source, int threads) {
  if (source.copied)
    scheduleElements(source.map, threads);
}

void scheduleLines(Func out, int lines, int batch, double flopsPerLine,
                   Schedule &schedule) {
  int block = 1;
  while (block < lines && !worthParallel(block * flopsPerLine, 2))
    ++block;
  block = schedule.get("block_rows", "lines of a map in a task", block,
                       Values(1, lines).forThreads());
  double tasks = std::ceil(double(lines) / block) * batch;
  bool parallel = schedule.parallel(worthParallel(block * flopsPerLine, tasks));
  Var y = out.args()[2], b = out.args()[3], task("task");
  if (parallel)
    out.split(y, task, y, block, TailStrategy::GuardWithIf)
        .fuse(task, b, task)
        .parallel(task);
}

} // namespace vitc::halide
