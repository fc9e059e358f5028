// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "window.h"

#include "gpu/elements.h"

#include <cmath>
#include <limits>

using namespace Halide;

namespace vitc::halide {

bool Windows::padded() const {
  return padTop > 0 || padLeft > 0 || spanH > height || spanW > width;
}

/// (outputs - 1) * stride + kernel.
static int span(Fields &spec, const std::string &name, int outputs, int stride,
                int kernel) {
  int64_t result = int64_t(outputs - 1) * stride + kernel;
  if (result > std::numeric_limits<int>::max())
    spec.fail(name, "the windows span more than 2^31 pixels");
  return int(result);
}

Windows readWindows(Fields &spec) {
  Windows windows;
  windows.batch = spec.integer("batch", 1);
  windows.channels = spec.integer("channels", 1);
  windows.height = spec.integer("height", 1);
  windows.width = spec.integer("width", 1);
  windows.kernelH = spec.integer("kernel_h", 1);
  windows.kernelW = spec.integer("kernel_w", 1);
  windows.strideH = spec.integer("stride_h", 1);
  windows.strideW = spec.integer("stride_w", 1);
  windows.padTop = spec.integer("pad_top", 0);
  windows.padLeft = spec.integer("pad_left", 0);
  windows.outH = spec.integer("out_h", 1);
  windows.outW = spec.integer("out_w", 1);
  windows.spanH =
      span(spec, "out_h", windows.outH, windows.strideH, windows.kernelH);
  windows.spanW =
      span(spec, "out_w", windows.outW, windows.strideW, windows.kernelW);
  // Halide's addresses are 32-bit numbers, and so are those reckoned here.
  auto check = [&](const std::string &name, double floats) {
    if (floats > std::numeric_limits<int>::max())
      spec.fail(name, "more than 2^31 elements");
  };
  double perPixel = double(windows.batch) * windows.channels;
  check("height", perPixel * windows.height * windows.width);
  check("out_h", perPixel * windows.spanH * windows.spanW);
  check("out_h", double(windows.batch) * windows.outH * windows.outW);
  return windows;
}

WindowSource readMap(Kernel &kernel, const Windows &windows, bool planes,
                     int ldx, int pixelFloats) {
  const Windows &w = windows;
  if (double(w.batch) * w.height * w.width * ldx >
      std::numeric_limits<int>::max())
    throw SpecError("x: the buffer has more than 2^31 elements");
  WindowSource source;
  source.copied = w.padded();
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
