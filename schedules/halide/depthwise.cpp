// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// depthwise: out[(b,oy,ox)][c] = activation(sum over a window of x[b][y][x][c]
/// w[ky,kx][c] + bias[c]).
#include "gpu/elements.h"
#include "kernel.h"
#include "math.h"
#include "tile.h"
#include "window.h"

#include <cmath>

using namespace Halide;

namespace vitc::halide {

/// Pixels of a line in a tile: four, with two vectors each, are enough to hide
/// the FMA's latency.
constexpr int defaultPixels = 4;

static Tile readTile(Schedule &schedule, const Machine &machine, int width,
                     int channels, int kernelW) {
  Tile tile;
  tile.rows = schedule.get("tile_m", "pixels of a line in the register tile",
                           std::min(width, defaultPixels),
                           Values(1, std::min(width, 64)).worthwhileUpTo(12));
  tile.columns = schedule.get(
      "tile_n", "channels of the register tile",
      divisorUpTo(channels, machine.tileN),
      Values(1, channels)
          .dividing(channels,
                    "the row's " + std::to_string(channels) + " floats")
          .worthwhileUpTo(4 * machine.lanes));
  tile.lanes = machine.lanesFor(tile.columns);
  tile.chains = 1;
  tile.unrollK = schedule.get(
      "unroll_k", "steps of kx per branch", divisorUpTo(kernelW, 8),
      Values(1, kernelW)
          .dividing(kernelW, "the " + std::to_string(kernelW) + " steps of k"));
  return tile;
}

Kernel buildDepthwise(const families::DepthwiseShape &spec, Schedule &schedule,
                      const Machine &machine) {
  const Windows windows(spec);
  const int channels = spec.channels, ldx = spec.ldx, ldc = spec.ldc,
            ldw = spec.ldw, wide = spec.paddedChannels();
  const bool hasBias = spec.bias;
  const families::Activation function = spec.activation;

  // ---- Algorithm. A copied map has whole vectors per pixel.
  Kernel kernel;
  WindowSource source =
      readMap(kernel, windows, /*planes=*/false, ldx, /*pixelFloats=*/wide);
  int width = std::min(paddedColumns(channels, ldc),
                       source.copied ? wide : paddedColumns(channels, ldx));
  int kernelW = windows.kernelW, kernelH = windows.kernelH;
  ImageParam w = kernel.input(
      "w", {{width, 1}, {kernelW, ldw}, {kernelH, int64_t(kernelW) * ldw}});
  Tile tile = {};
  if (!machine.gpu())
    tile = readTile(schedule, machine, windows.outW, width, kernelW);
  Var c("c"), x("x"), y("y"), b("b");
  RDom k(0, kernelW, 0, kernelH, "k");
  Func sum("sum"), out("out");
  // Not behind the sum, as gemm's: so few terms lose nothing to the bias, and
  // AVX2 has no registers left for it.
  Expr start = 0.0f;
  if (hasBias)
    start = kernel.input("bias", {{width, 1}})(c);
  sum(c, x, y, b) = start;
  Expr at = b * int(source.image) +
            (y * windows.strideH + k.y) * int(source.row) +
            (x * windows.strideW + k.x) * int(source.pixel) + c;
  sum(c, x, y, b) =
      multiplyAdd(sum(c, x, y, b), source.map(at), w(c, k.x, k.y), tile.lanes);
  out(c, x, y, b) = activation(function, sum(c, x, y, b));
  int64_t row = int64_t(windows.outW) * ldc;
  kernel.output(out, "out",
                {{width, 1},
                 {windows.outW, ldc},
                 {windows.outH, row},
                 {windows.batch, row * windows.outH}});

  if (machine.gpu()) {
    int threads = readThreads(schedule);
    scheduleInThread(sum, scheduleElements(out, threads));
    scheduleMapOnGpu(source, threads);
    return kernel;
  }

  // ---- Schedule. A register tile is some pixels of a line by some channels; a
  // vector of weights serves its pixels. A line's last tile overlaps the one
  // before: computing some pixels twice is faster than a shorter tile. The
  // channels' tiles stand inside the pixels', so that memory is read in long
  // runs. Where the weights are too many for the first-level cache, a channels'
  // tile takes all lines instead: 14x14x384 by 7x7 takes 0.21 ms the first way
  // and 0.16 the second.
  constexpr int nearFloats = 4096; // half of 32 KB
  bool channelsFirst = schedule.get(
      "channels_first",
      "1: a tile's channels go through the whole map before the next ones, 0: "
      "a "
      "line goes through all channels",
      double(kernelW) * kernelH * width > nearFloats, Values(0, 1));
  int lines = windows.outH, columnTiles = width / tile.columns;
  double flopsPerUnit =
      2.0 * windows.outW * kernelW * kernelH *
      (channelsFirst ? double(lines) * tile.columns : double(width));
  int units = channelsFirst ? columnTiles : lines, block = 1;
  while (block < units && !worthParallel(block * flopsPerUnit, 2))
    ++block;
  block = schedule.get("block",
                       channelsFirst ? "tiles of channels of a task"
                                     : "lines of a task",
                       block, Values(1, units).forThreads());
  double tasks = std::ceil(double(units) / block) * windows.batch;
  bool parallel = schedule.parallel(worthParallel(block * flopsPerUnit, tasks));
  Var co("co"), ci("ci"), xo("xo"), xi("xi"), task("task");
  out.split(c, co, ci, tile.columns)
      .split(x, xo, xi, tile.rows, TailStrategy::ShiftInwards)
      .vectorize(ci, tile.lanes)
      .unroll(ci)
      .unroll(xi);
  Var unit = channelsFirst ? co : y;
  if (channelsFirst)
    out.reorder(ci, xi, xo, y, co, b);
  else
    out.reorder(ci, xi, co, xo, y, b);
  if (parallel)
    out.split(unit, task, unit, block, TailStrategy::GuardWithIf)
        .fuse(task, b, task)
        .parallel(task);
  scheduleTile(sum, c, {x}, k.x, /*outerK=*/{k.y}, tile, machine,
               LoopLevel(out, channelsFirst ? xo : co));
  // A small window is one branch.
  constexpr int mostSteps = 9;
  if (tile.unrollK == kernelW && kernelW * kernelH <= mostSteps)
    sum.update().unroll(k.y);
  scheduleMap(source, /*planes=*/false, wide, parallel, machine);
  return kernel;
}

} // namespace vitc::halide
