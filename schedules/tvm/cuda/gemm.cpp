// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// gemm on an NVIDIA GPU's tensor cores: both operands are rounded to half
/// precision on their way into shared memory, products are summed in float32.
///
/// A block of four warps computes 64x64 of the result, a warp 32x32 of it: four
/// accumulators of 16x16, for which it loads two matrices of each operand per
/// 16 steps of k. 32 steps are staged between two barriers, as float32 from
/// global memory, so that weights and activations stay what they are for every
/// other kernel.
#include "../gemm.h"
#include "../math.h"
#include "../rewrite.h"

namespace vitc::tvm_backend {

constexpr int tileRows = 64, tileColumns = tensorCorePanel, steps = 32;
constexpr int lanes = 32, warps = 4;
constexpr int warpRows = 32, warpColumns = 32;
constexpr int matricesPerWarp = warpRows / matrixSide; // in each direction
// The warps stand two by two; where they copy, a warp takes 32 neighbours.
static_assert(2 * warpRows == tileRows && 2 * warpColumns == tileColumns &&
              warpColumns == lanes && warps == 4);

/// Strides in shared memory, in elements. The padding of 16 bytes keeps the
/// rows of a matrix in different banks; wmma asks for strides of whole 16 bytes
/// and for matrices that begin at a multiple of 32.
constexpr int leftStride = steps + 8, rightStride = tileColumns + 8,
              sumStride = tileColumns + 4;

DeviceFunction tensorCoreGemm(const GemmShape &shape) {
  const int width = shape.width(), panels = width / shape.panel;
  const int rowTiles = (shape.m + tileRows - 1) / tileRows;
  const int turns = (shape.k + steps - 1) / steps;
  auto matrix = [](const char *name, int rows, int64_t stride, int columns) {
    return DeviceMemory(name, float32, (rows - 1) * stride + columns, "global");
  };
  DeviceMemory a = matrix("a", shape.m, shape.lda, shape.k);
  DeviceMemory w = matrix("w", panels * shape.k, tileColumns, tileColumns);
  DeviceMemory bias = matrix("bias", 1, width, width);
  DeviceMemory residual = matrix("residual", shape.m, shape.ldr, width);
  DeviceMemory out = matrix("out", shape.m, shape.ldc, width);

  DeviceMemory left("left", float16, tileRows * leftStride, "shared");
  DeviceMemory right("right", float16, steps * rightStride, "shared");
  DeviceMemory sums("sums", float32, tileRows * sumStride, "shared");

  constexpr int elements = matrixSide * matrixSide;
  DeviceMemory lefts("lefts", float16, matricesPerWarp * elements,
                     "wmma.matrix_a");
  DeviceMemory rights("rights", float16, matricesPerWarp * elements,
                      "wmma.matrix_b");
  DeviceMemory accumulators("accumulators", float32,
                            matricesPerWarp * matricesPerWarp * elements,
                            "wmma.accumulator");

  auto kernel = [&](const Expr &panel, const Expr &rowTile, const Expr &lane,
                    const Expr &warp) {
    Expr upOrDown = floorDiv(warp, 2), leftOrRight = floorMod(warp, 2);
    Expr warpRow = upOrDown * Expr(warpRows),
         warpColumn = leftOrRight * Expr(warpColumns);
    Expr column = warpColumn + lane;
    auto number = [](int i, int j) { return i * matricesPerWarp + j; };

    std::vector<Node> body;
    for (const DeviceMemory *local :
         {&left, &right, &sums, &lefts, &rights, &accumulators})
      body.push_back(local->allocation());
    for (int i = 0; i < matricesPerWarp * matricesPerWarp; ++i)
      body.push_back(fillMatrix(accumulators, i, 0.0f));

    body.push_back(loop("turn", turns, [&](const Expr &turn) {
      // Rows and steps beyond the last count as zero.
      auto within = [](const Expr &index, int count, int tile,
                       const Expr &value) {
        return count % tile == 0 ? value
                                 : either(index < Expr(count), value, 0.0f);
      };
      std::vector<Node> part;
      part.push_back(loop("copy", tileRows / warps, [&](const Expr &copy) {
        Expr row = copy * Expr(warps) + warp;
        Expr whole = rowTile * Expr(tileRows) + row;
        Expr step = turn * Expr(steps) + lane;
        Expr value =
            within(step, shape.k, steps, a.at(whole * Expr(shape.lda) + step));
        value = within(whole, shape.m, tileRows, value);
        return left.store(row * Expr(leftStride) + lane,
                          convert(float16, value));
      }));
      part.push_back(loop("copy", steps / 2, [&](const Expr &copy) {
        Expr row = copy * Expr(2) + upOrDown, step = turn * Expr(steps) + row;
        Expr index =
            (panel * Expr(shape.k) + step) * Expr(tileColumns) + column;
        return right.store(
            row * Expr(rightStride) + column,
            convert(float16, within(step, shape.k, steps, w.at(index))));
      }));
      part.push_back(waitForBlock());
      for (int k = 0; k < steps; k += matrixSide) {
        for (int i = 0; i < matricesPerWarp; ++i)
          part.push_back(loadMatrix(
              lefts, i, left,
              (warpRow + Expr(i * matrixSide)) * Expr(leftStride) + Expr(k),
              leftStride));
        for (int j = 0; j < matricesPerWarp; ++j)
          part.push_back(
              loadMatrix(rights, j, right,
                         Expr(k * rightStride + j * matrixSide) + warpColumn,
                         rightStride));
        for (int i = 0; i < matricesPerWarp; ++i)
          for (int j = 0; j < matricesPerWarp; ++j)
            part.push_back(multiplyMatrices(accumulators, number(i, j), lefts,
                                            i, rights, j));
      }
      part.push_back(waitForBlock());
      return sequence(part);
    }));

    for (int i = 0; i < matricesPerWarp; ++i)
      for (int j = 0; j < matricesPerWarp; ++j)
        body.push_back(
            storeMatrix(accumulators, number(i, j), sums,
                        (warpRow + Expr(i * matrixSide)) * Expr(sumStride) +
                            warpColumn + Expr(j * matrixSide),
                        sumStride));
    body.push_back(waitForBlock());
    body.push_back(loop("row", tileRows / 2, [&](const Expr &turn) {
      Expr row = turn * Expr(2) + upOrDown;
      Expr whole = rowTile * Expr(tileRows) + row;
      Expr wholeColumn = panel * Expr(tileColumns) + column;
      Expr value = sums.at(row * Expr(sumStride) + column);
      if (shape.bias)
        value = value + bias.at(wholeColumn);
      value = activation(shape.activation, value);
      if (shape.residual)
        value = value + residual.at(whole * Expr(shape.ldr) + wholeColumn);
      return onlyIf(whole < Expr(shape.m),
                    out.store(whole * Expr(shape.ldc) + wholeColumn, value));
    }));
    return sequence(body);
  };

  DeviceFunction function;
  function.arguments = {a, w};
  if (shape.bias)
    function.arguments.push_back(bias);
  if (shape.residual)
    function.arguments.push_back(residual);
  function.arguments.push_back(out);
  function.body = forEach("blockIdx.x", panels, [&](const Expr &panel) {
    return forEach("blockIdx.y", rowTiles, [&](const Expr &rowTile) {
      return forEach("threadIdx.x", lanes, [&](const Expr &lane) {
        return forEach("threadIdx.y", warps, [&](const Expr &warp) {
          return kernel(panel, rowTile, lane, warp);
        });
      });
    });
  });
  function.blocks[0] = panels;
  function.blocks[1] = rowTiles;
  function.threads[0] = lanes;
  function.threads[1] = warps;
  function.sharedBytes = 2 * (tileRows * leftStride + steps * rightStride) +
                         4 * tileRows * sumStride;
  return function;
}

} // namespace vitc::tvm_backend
