// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's biases of relative positions, out of a table or of an MLP.
///
/// Quirks: a table that the checkpoint has for another window is resized by
/// timm's loader as BEiT's authors do it: the old distances are spread over the
/// new ones in geometric progression, so that near ones stay near, and between
/// them the values are linear. The old window is taken to be a square.
#include "Timm.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Where `count` old distances (an odd number, the middle one is 0) stand among
/// new ones from -reach to reach: 1, 1 + q, 1 + q + q² … on both sides. timm
/// looks for the ratio q by bisection and keeps the places in float32.
static std::vector<double> geometricPlaces(int64_t count, int64_t reach) {
  int64_t side = count / 2;
  double low = 1.01, high = 1.5, ratio = low;
  while (high - low > 1e-6) {
    ratio = (low + high) / 2;
    double sum = (1 - std::pow(ratio, double(side))) / (1 - ratio);
    (sum > double(reach) ? high : low) = ratio;
  }
  std::vector<double> places(count, 0);
  double place = 1;
  for (int64_t i = 0; i < side; ++i) {
    places[side + 1 + i] = float(place);
    places[side - 1 - i] = float(-place);
    place += std::pow(ratio, double(i + 1));
  }
  return places;
}

/// The matrix [to, from] that takes values at the old distances to values at
/// the new ones. Beyond the outermost place its value stays.
static std::vector<double> resizeMatrix(int64_t from, int64_t to) {
  std::vector<double> places = geometricPlaces(from, to / 2),
                      matrix(from * to, 0);
  for (int64_t row = 0; row < to; ++row) {
    double distance = double(row - to / 2);
    auto next = llvm::lower_bound(places, distance);
    int64_t right = std::min<int64_t>(next - places.begin(), from - 1),
            left = std::max<int64_t>(right - 1, 0);
    double share = right == left ? 1
                                 : (distance - places[left]) /
                                       (places[right] - places[left]);
    share = std::clamp(share, 0.0, 1.0);
    matrix[row * from + left] += 1 - share;
    matrix[row * from + right] += share;
  }
  return matrix;
}

/// A table [from·from, heads] as [to.first·to.second, heads].
static Value resizeTable(ModelBuilder &model, const std::string &name,
                         Value table, int64_t from, Grid to) {
  int64_t heads = ModelBuilder::shapeOf(table)[1];
  auto resize = [&](const char *axis, Value x, int64_t extent) {
    Value matrix = model.constant(name + axis, {extent, from},
                                  [&](std::vector<double> &values) {
                                    values = resizeMatrix(from, extent);
                                  });
    return model.linear(name + axis, x, matrix, /*bias=*/Value());
  };
  // [row, column, head] to [column, head, row], and back over [row, head,
  // column].
  Value x = model.reshape(table, {from, from, heads});
  x = resize(".rows", model.transpose(x, {1, 2, 0}), to.first);
  x = resize(".columns", model.transpose(x, {2, 1, 0}), to.second);
  return model.reshape(model.transpose(x, {0, 2, 1}),
                       {to.first * to.second, heads});
}

static Value storedTable(ModelBuilder &model, const Checkpoint *checkpoint,
                         const std::string &name,
                         const TimmRelativePosition &position) {
  Grid distances = {2 * position.grid.first - 1, 2 * position.grid.second - 1};
  int64_t pairs = distances.first * distances.second,
          extra = 3 * position.prefix;
  std::string tensor = name + ".relative_position_bias_table";
  const TensorInfo *stored = checkpoint ? checkpoint->find(tensor) : nullptr;
  int64_t storedPairs =
      stored && stored->shape.size() == 2 ? stored->shape[0] - extra : pairs;
  auto side = int64_t(
      std::lround(std::sqrt(double(std::max<int64_t>(storedPairs, 0)))));
  // Only a square with an odd side can be a table of another window.
  if (storedPairs == pairs || side % 2 == 0 || side * side != storedPairs)
    return model.parameter(tensor, {pairs + extra, position.heads});
  Value table = model.parameter(tensor, {storedPairs + extra, position.heads});
  Value resized = resizeTable(
      model, name, extra ? model.slice(table, 0, 0, storedPairs) : table, side,
      distances);
  return extra ? model.concat(
                     {resized, model.slice(table, 0, storedPairs, extra)}, 0)
               : resized;
}

//===----------------------------------------------------------------------===//
// MLPs
//===----------------------------------------------------------------------===//

/// Rows and columns between two patches: ±log(1 + |d|), or scaled to ±8 first
/// and ±log2(1 + |d|) / 3 then.
static Value logCoordinates(ModelBuilder &model, const std::string &name,
                            const TimmRelativePosition &position) {
  int64_t rows = position.grid.first, columns = position.grid.second;
  auto curved = [&](int64_t distance, int64_t extent) {
    double d = double(distance);
    if (position.kind == TimmRelativePosition::Kind::Mlp)
      return std::copysign(std::log1p(std::abs(d)), d);
    d = d / double(extent - 1) * 8;
    return std::copysign(std::log2(1 + std::abs(d)) / std::log2(8.0), d);
  };
  return model.constant(name + ".rel_coords_log",
                        {(2 * rows - 1) * (2 * columns - 1), 2},
                        [&](std::vector<double> &values) {
                          for (int64_t y = 1 - rows; y < rows; ++y)
                            for (int64_t x = 1 - columns; x < columns; ++x) {
                              values.push_back(curved(y, rows));
                              values.push_back(curved(x, columns));
                            }
                        });
}

static Value computedTable(ModelBuilder &model, const std::string &name,
                           const TimmRelativePosition &position) {
  bool isSwin = position.kind == TimmRelativePosition::Kind::SwinMlp;
  Value hidden = model.activate(
      model.linear(name + ".mlp.fc1", logCoordinates(model, name, position),
                   position.hidden, /*bias=*/true),
      vit::Activation::Relu);
  Value table =
      model.linear(name + ".mlp.fc2", hidden, position.heads, !isSwin);
  if (isSwin)
    table = model.scale(model.activate(table, vit::Activation::Sigmoid), 16);
  if (!position.prefix)
    return table;
  int64_t extra = 3 * position.prefix;
  return model.concat(
      {table, model.constant(name + ".prefix", {extra, position.heads},
                             std::vector<double>(extra * position.heads, 0.0))},
      0);
}

Value vitc::timmRelativeBias(ModelBuilder &model, const Checkpoint *checkpoint,
                             const std::string &name,
                             const TimmRelativePosition &position) {
  Value table = position.kind == TimmRelativePosition::Kind::Table
                    ? storedTable(model, checkpoint, name, position)
                    : computedTable(model, name, position);
  return model.relativeBias(name, table, position.grid, position.prefix);
}
