// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Windows that slide over a feature map: convolutions and pools.
#ifndef VITC_SCHEDULES_HALIDE_WINDOW_H
#define VITC_SCHEDULES_HALIDE_WINDOW_H

#include "kernel.h"

namespace vitc::halide {

/// A map, the windows on it and the grid of their outputs: the fields and
/// quantities that families of windows share.
struct Windows {
  template <typename Shape>
  explicit Windows(const Shape &spec)
      : batch(spec.batch), channels(spec.channels), height(spec.height),
        width(spec.width), kernelH(spec.kernelH), kernelW(spec.kernelW),
        strideH(spec.strideH), strideW(spec.strideW), padTop(spec.padTop),
        padLeft(spec.padLeft), outH(spec.outH), outW(spec.outW),
        spanH(spec.spanH()), spanW(spec.spanW()), outputs(spec.outputs()),
        padded(spec.copied()) {}

  int batch, channels, height, width;
  int kernelH, kernelW, strideH, strideW, padTop, padLeft, outH, outW;
  int spanH, spanW; ///< what all windows cover together, from the padding on
  int outputs;
  bool padded; ///< whether some window reaches beyond the map
};

/// A map as one run of floats: where the windows find it.
struct WindowSource {
  Halide::Func map;                 ///< of one coordinate
  int64_t pixel, row, plane, image; ///< strides; `plane` for "nchw" alone
  int rows, rowFloats;              ///< of the copy, where it is one
  bool copied;
};

/// The map that the windows read: the kernel's input `x` itself, or, where
/// windows reach beyond it, a copy in the scratch that has zeros there, so that
/// no inner loop needs to know the border. A copied pixel takes `pixelFloats`,
/// whose part beyond the channels may hold anything; in "nchw" a plane's row
/// has one float per pixel.
WindowSource readMap(Kernel &kernel, const Windows &windows, bool planes,
                     int ldx, int pixelFloats);

/// Schedules the copy, if there is one.
void scheduleMap(WindowSource &source, bool planes, int pixelFloats,
                 bool parallel, const Machine &machine);
/// The same on a GPU.
void scheduleMapOnGpu(WindowSource &source, int threads);

/// Shares out the lines of a map `out(c, x, y, b)`, whose loops stand in that
/// order: schedule parameters block_rows (lines of a task) and parallel.
void scheduleLines(Halide::Func out, int lines, int batch, double flopsPerLine,
                   Schedule &schedule);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_WINDOW_H
