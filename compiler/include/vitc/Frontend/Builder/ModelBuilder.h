// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The building blocks that frontends share: parameters checked against the
/// checkpoint, and the layers made of them.
#ifndef VITC_FRONTEND_BUILDER_MODELBUILDER_H
#define VITC_FRONTEND_BUILDER_MODELBUILDER_H

#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>

namespace vitc {

/// Rows and columns.
using Grid = std::pair<int64_t, int64_t>;

/// Names of the layers of one pre-norm encoder block, without `.weight` and
/// `.bias`. The last three are empty where the model has no such layer.
struct BlockNames {
  std::string block; ///< of the block as a whole, for messages and reports
  std::string normBeforeAttention, query, key, value, attentionOutput,
      normBeforeMlp, mlpUp, mlpDown;
  std::string mlpGate = {}; ///< up(x) · activation(gate(x))
  std::string attentionScale = {}, mlpScale = {}; ///< layer scale's parameters
};

struct BlockShape {
  int64_t heads, hidden;
  double eps;
  vit::Activation activation;
  bool queryBias = true, keyBias = true, valueBias = true, outputBias = true,
       mlpBias = true;
  /// `mlpUp` has gate and up in one layer of 2·hidden outputs, gate first.
  bool packedGate = false;
  mlir::Value attentionBias = {}; ///< null for none
  mlir::Value cos = {}, sin = {}; ///< turn queries and keys; null for none
};

/// A norm with parameters `.weight` and, unless told otherwise, `.bias`.
struct Norm {
  double eps;
  vit::NormKind kind = vit::NormKind::Layer;
  bool bias = true;
};

/// Queries, keys and values, projected.
struct Projections {
  mlir::Value query, key, value;
};

/// What attention has besides its projections. A scale of 0 stands for
/// 1/sqrt(channels of a head).
struct AttentionShape {
  int64_t heads;
  double scale = 0;
  mlir::Value bias = {}, mask = {};
};

/// How a family resizes its position embedding.
struct PositionResize {
  vit::Interpolation interpolation = vit::Interpolation::Bicubic;
  bool antialias = false;
  std::optional<std::pair<double, double>> factors = std::nullopt;
};

/// A feature map: a sequence whose tokens are pixels, row by row; or the
/// image.
struct Map {
  mlir::Value value;
  Grid grid;
};

struct Padding {
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  static Padding all(int64_t side) { return {side, side, side, side}; }
  /// TensorFlow's "SAME": as many positions as ceil(extent / stride), the odd
  /// pixel below and to the right.
  static Padding same(Grid grid, Grid window, Grid stride);
};

/// How a window moves over a map.
struct Sliding {
  Grid window, stride = {1, 1};
  Padding padding = {};
};

/// What messages about tensors that are too large begin with.
struct SizePlaces {
  /// Of those that grow with the image: "config.json:4:17: image_size 9 x 9".
  std::string image = "the image";
  std::string parameters = "the config"; ///< of parameters: "config.json"
};

/// Grows one model. An error (a tensor that is missing or has another shape) is
/// kept and reported by finish(), so that layers read like formulas.
class ModelBuilder {
public:
  /// Elements of one table that is computed from the configuration (64 MiB:
  /// 131,072 tokens of 64 channels), and of all such tables of a model (1 GiB).
  static constexpr int64_t maxTableElements = int64_t(1) << 23;
  static constexpr int64_t maxTablesElements = int64_t(1) << 27;

  /// `checkpoint` may be null: then parameters are only declared (random
  /// weights).
  ModelBuilder(mlir::MLIRContext *context, const Checkpoint *checkpoint,
               llvm::ArrayRef<int64_t> imageShape, SizePlaces places = {});
  ~ModelBuilder();

  mlir::Value image() { return function.getArgument(0); }
  Map imageMap();

  //===--- parameters and what is computed from them at compile time
  //---------===//
  /// The checkpoint's tensor of that name.
  mlir::Value parameter(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape);
  /// True if the checkpoint has the tensor (or there is no checkpoint, and
  /// every tensor is as good as there).
  bool hasTensor(llvm::StringRef name) const;

  /// Numbers that follow from the configuration, row by row.
  mlir::Value constant(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<double> values);
  /// The same for a table that grows with the configuration: `fill` appends its
  /// numbers. It is not called if they are too many.
  mlir::Value
  constant(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
           llvm::function_ref<void(std::vector<double> &values)> fill);
  /// Whether a table of that shape may be computed: it is not too large, and
  /// the model has no error so far. If it may not, finish() fails, and zeros()
  /// does in its place until then.
  bool takesTable(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape);
  mlir::Value zeros(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> order);
  /// `count` elements of a dimension.
  mlir::Value slice(mlir::Value x, int64_t dimension, int64_t offset,
                    int64_t count);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t dimension);
  mlir::Value scale(mlir::Value x, double factor);
  mlir::Value exp(mlir::Value x, double limit);
  mlir::Value standardize(mlir::Value weight, double eps);
  /// A value per head as one per channel: each `headDim` times.
  mlir::Value spreadHeads(mlir::Value perHead, int64_t headDim);
  /// A vector of a head's channels for all heads.
  mlir::Value repeatForHeads(mlir::Value vector, int64_t heads);
  /// The bias of attention in a window or over the whole grid, out of a table
  /// [distances, heads].
  mlir::Value relativeBias(const llvm::Twine &name, mlir::Value table,
                           Grid grid, int64_t prefix);
  mlir::Value windowMask(const llvm::Twine &name, Grid grid, Grid window,
                         Grid shift, double value);
  /// A table [1, prefix + pixels, channels] for another grid; the same value
  /// if the grids are the same.
  mlir::Value resizePosition(const llvm::Twine &name, mlir::Value table,
                             int64_t prefix, Grid from, Grid to,
                             const PositionResize &resize = {});

  //===--- layers
  //-----------------------------------------------------------===//
  mlir::Value patchEmbed(const llvm::Twine &name, int64_t width,
                         int64_t patchHeight, int64_t patchWidth, bool bias);
  /// `weight` [width, channels, rows, columns]; `bias` may be null.
  mlir::Value patchEmbed(const llvm::Twine &name, mlir::Value weight,
                         mlir::Value bias);
  mlir::Value concatTokens(llvm::StringRef name, mlir::Value tokens,
                           mlir::Value sequence);
  /// Adds the table, resized first if its grid is another one. `prefix` tokens
  /// stand in front of the grid.
  mlir::Value addPosition(llvm::StringRef name, mlir::Value sequence,
                          int64_t prefix, Grid tableGrid, Grid imageGrid,
                          const PositionResize &resize = {});
  /// Adds a position embedding [1, tokens, channels].
  mlir::Value addPosition(const llvm::Twine &name, mlir::Value sequence,
                          mlir::Value position);
  mlir::Value norm(const llvm::Twine &name, mlir::Value x, const Norm &norm);
  mlir::Value layerNorm(const llvm::Twine &name, mlir::Value x, double eps) {
    return norm(name, x, {eps});
  }
  /// A norm of every head's channels by themselves, with one gain and bias for
  /// all heads.
  mlir::Value headNorm(const llvm::Twine &name, mlir::Value x, int64_t heads,
                       const Norm &norm);
  /// Vectors of every head at length 1, times `gain` [channels] if there is
  /// one.
  mlir::Value unitHeads(const llvm::Twine &name, mlir::Value x, int64_t heads,
                        double eps, mlir::Value gain);
  mlir::Value linear(const llvm::Twine &name, mlir::Value x, int64_t outputs,
                     bool bias);
  /// A layer whose weight [outputs, inputs] and bias (or null) stand ready.
  mlir::Value linear(const llvm::Twine &name, mlir::Value x, mlir::Value weight,
                     mlir::Value bias);
  mlir::Value activate(mlir::Value x, vit::Activation function);
  mlir::Value add(const llvm::Twine &name, mlir::Value x, mlir::Value y);
  /// Every channel times its own factor in `gain` [channels].
  mlir::Value scaleChannels(const llvm::Twine &name, mlir::Value x,
                            mlir::Value gain);
  /// Layer scale: every channel times the parameter `name`.
  mlir::Value layerScale(const llvm::Twine &name, mlir::Value x);
  /// x · activation(gate).
  mlir::Value gate(const llvm::Twine &name, mlir::Value x, mlir::Value gate,
                   vit::Activation activation);
  /// The two layers of a block's MLP, by name.
  mlir::Value mlp(const llvm::Twine &name, const llvm::Twine &up,
                  const llvm::Twine &down, mlir::Value x, int64_t hidden,
                  vit::Activation activation, bool bias = true);

  /// Three layers of `width` outputs each.
  Projections projections(const BlockNames &names, const BlockShape &shape,
                          mlir::Value x, int64_t width);
  /// One layer [3·width, inputs] cut into three. `bias` [3·width] may be null.
  Projections packedProjections(const llvm::Twine &name, mlir::Value x,
                                int64_t width, mlir::Value bias);
  mlir::Value rotate(const llvm::Twine &name, mlir::Value x, mlir::Value cos,
                     mlir::Value sin, int64_t heads,
                     vit::RotaryPairing pairing);
  struct AttentionResult {
    mlir::Value sequence, probabilities;
  };
  AttentionResult attention(const llvm::Twine &name,
                            const Projections &projections,
                            const AttentionShape &shape);

  //===--- maps: Maps.cpp
  //----------------------------------------------===//
  /// A parameter [outputs, inputs, rows, columns] of `name.weight`.
  mlir::Value convWeight(const llvm::Twine &name, int64_t outputs,
                         int64_t inputs, Grid window);
  /// `weight` as convWeight() gives it; `bias` may be null.
  Map conv(const llvm::Twine &name, Map map, mlir::Value weight,
           mlir::Value bias, const Sliding &sliding);
  /// With parameters `name.weight` and, if told so, `name.bias`.
  Map conv(const llvm::Twine &name, Map map, int64_t outputs, bool bias,
           const Sliding &sliding);
  /// `name.weight` is [channels, 1, rows, columns].
  Map depthwiseConv(const llvm::Twine &name, Map map, bool bias,
                    const Sliding &sliding);
  /// Batch norm at inference: `.weight`, `.bias`, `.running_mean`,
  /// `.running_var`.
  mlir::Value batchNorm(const llvm::Twine &name, mlir::Value x, double eps);
  mlir::Value groupNorm(const llvm::Twine &name, mlir::Value map,
                        int64_t groups, double eps);
  Map spatialPool(const llvm::Twine &name, Map map, vit::SpatialPoolKind kind,
                  const Sliding &sliding, bool padZero);
  Map resizeMap(const llvm::Twine &name, Map map, Grid to);
  /// A map as [image, channel, row, column].
  mlir::Value asImage(Map map);
  Map spaceToDepth(const llvm::Twine &name, Map map, Grid block,
                   vit::BlockOrder order);
  mlir::Value
  windowPartition(const llvm::Twine &name, Map map, Grid window, Grid shift,
                  vit::WindowOrder order = vit::WindowOrder::Window);
  Map windowMerge(const llvm::Twine &name, mlir::Value windows, Grid grid,
                  Grid window, Grid shift,
                  vit::WindowOrder order = vit::WindowOrder::Window);

  //===--- heads and outputs
  //------------------------------------------------===//
  mlir::Value head(const llvm::Twine &name, mlir::Value pooled, int64_t outputs,
                   vit::Activation activation, bool bias = true);
  mlir::Value pool(const llvm::Twine &name, mlir::Value sequence,
                   vit::PoolKind kind, int64_t first);
  mlir::Value softmax(const llvm::Twine &name, mlir::Value x);
  mlir::Value stack(const llvm::Twine &name,
                    llvm::ArrayRef<mlir::Value> layers);

  /// x + attention(norm(x)), then x + mlp(norm(x)); with gate and layer scale
  /// where the names have them.
  AttentionResult encoderBlock(const BlockNames &names, const BlockShape &shape,
                               mlir::Value x);

  /// Offers an output; which ones are computed is decided in finish().
  void output(const llvm::Twine &name, mlir::Value value) {
    available[name.str()] = value;
  }

  /// The module with the outputs asked for (`fallback` if none is), nothing
  /// that they do not need, and every tensor of the checkpoint either used by
  /// the family or accepted by `mayIgnore`. No tensor is empty or larger than
  /// the vit dialect takes.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  finish(llvm::ArrayRef<std::string> outputs, llvm::StringRef fallback,
         llvm::function_ref<bool(llvm::StringRef)> mayIgnore);

  /// Keeps the first error, as it is.
  void fail(llvm::Error error);

  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }

private:
  /// Positions of a window over a map, at least one in each direction. If the
  /// window does not fit, finish() fails.
  Grid slide(const llvm::Twine &name, Grid grid, const Sliding &sliding);
  mlir::Location named(const llvm::Twine &name);
  mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape);
  llvm::Error
  checkForExtraTensors(llvm::function_ref<bool(llvm::StringRef)> mayIgnore);
  llvm::Error checkSizes();
  llvm::Error tooLarge(const std::string &words, llvm::StringRef layer,
                       llvm::ArrayRef<int64_t> shape);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  const Checkpoint *checkpoint;
  llvm::MapVector<std::string, mlir::Value, std::map<std::string, unsigned>>
      available;
  llvm::StringMap<mlir::Value> parameters;
  llvm::Error firstError = llvm::Error::success();
  SizePlaces places;
  int64_t tableElements = 0;
};

} // namespace vitc

#endif // VITC_FRONTEND_BUILDER_MODELBUILDER_H
