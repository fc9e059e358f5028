// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the lowerings of all op families share: buffers, constants, specs and
/// calls.
#ifndef VITC_CONVERSION_VITTOKERNEL_LOWERING_H
#define VITC_CONVERSION_VITTOKERNEL_LOWERING_H

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace vitc::lowering {

/// A tensor's buffer as the kernels see it: rows (all dimensions but the last)
/// and columns.
struct Rows {
  int64_t rows, columns, stride, offset;
};
Rows rowsOf(mlir::Value buffer);
inline Rows rowsOf(mlir::RankedTensorType type) {
  return {type.getNumElements() / type.getShape().back(),
          type.getShape().back(), type.getShape().back(), 0};
}

/// One field of a spec.
using Field = std::pair<llvm::StringRef, mlir::Attribute>;

/// The state of one conversion: `source` is read in order while the new
/// function grows.
class Lowering {
public:
  struct Options {
    int64_t panel;    ///< columns in a panel of packed weights
    bool fastMatmul;  ///< Strassen's algorithm where it gains
    bool pairs;       ///< paired products where they gain
    bool tensorCores; ///< where linear layers fill them
  };
  Lowering(mlir::ModuleOp module, mlir::func::FuncOp source, Options options);

  /// Replaces the source function; on failure an error has been emitted.
  mlir::LogicalResult run();

  //===--- buffers
  //---------------------------------------------------------===//
  /// The buffer of a tensor that has been lowered: memref<rows x columns>,
  /// strided.
  mlir::Value bufferOf(mlir::Value tensor) const {
    return buffers.lookup(tensor);
  }
  /// The same, starting at a multiple of 64 bytes: a slice of columns is copied
  /// if need be.
  mlir::Value alignedBufferOf(mlir::Value tensor);
  void setBuffer(mlir::Value tensor, mlir::Value buffer);
  /// A new buffer for the tensor, with padded rows.
  mlir::Value allocFor(mlir::Value tensor);
  /// Rows of the workspace: `columns` rounded up to whole panels, and a cache
  /// line for paired products, which can then work in place. Long rows are an
  /// odd multiple of 64 floats apart, so that a few columns of all rows, such
  /// as one head's, spread over all sets of a cache.
  int64_t paddedStride(int64_t columns) const;
  mlir::Value alloc(mlir::Location location, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides);
  /// Part of a buffer: `offset` and `strides` in elements of its memory.
  mlir::Value view(mlir::Location location, mlir::Value buffer,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, int64_t offset);
  /// Where the function's output stands, if `tensor` goes nowhere else: a dense
  /// view with the tensor's shape.
  mlir::Value outputView(mlir::Value tensor);
  /// True if nothing after `op` reads the memory of `tensor`, so that `op` may
  /// write there.
  bool isLastUse(mlir::Value tensor, mlir::Operation *op) const;

  //===--- constants
  //-------------------------------------------------------===//
  /// The parameter behind `tensor` as a packed weight matrix.
  mlir::Value panels(mlir::Value tensor);
  /// The same for Strassen's seven products, of each of `parts` parts of k.
  mlir::Value strassenPanels(mlir::Value tensor, int64_t parts);
  /// What a paired product needs of a weight matrix beside its panels.
  mlir::Value pairSums(mlir::Value tensor);
  /// The parameter as rows of the given length (a vector is one row), zero in
  /// the padding.
  mlir::Value paddedRows(mlir::Value tensor, int64_t stride);

  //===--- calls
  //-----------------------------------------------------------===//
  struct Cost {
    double flops;
  };
  /// `words` go into the kernel's name, e.g. "197x768x768_gelu". Calls of
  /// branch 0 and 1 may run side by side.
  void call(mlir::Location location, llvm::StringRef family,
            const llvm::Twine &words, llvm::ArrayRef<Field> fields, Cost cost,
            llvm::ArrayRef<mlir::Value> inputs,
            llvm::ArrayRef<mlir::Value> outputs,
            std::optional<int64_t> branch = std::nullopt);
  /// Adds `b` to `a`, over and over where `a` has more rows; `out` may be `a`.
  void add(mlir::Location location, mlir::Value a, mlir::Value b,
           mlir::Value out);
  /// Copies a four-dimensional box between buffers; a source stride of 0
  /// repeats.
  void copy(mlir::Location location, mlir::Value from, mlir::Value to,
            llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> fromStrides,
            llvm::ArrayRef<int64_t> toStrides);

  mlir::Attribute integer(int64_t value) {
    return builder.getI64IntegerAttr(value);
  }
  mlir::Attribute number(double value) {
    return builder.getF64FloatAttr(value);
  }
  mlir::Attribute boolean(bool value) { return builder.getBoolAttr(value); }
  mlir::Attribute text(llvm::StringRef value) {
    return builder.getStringAttr(value);
  }

  mlir::OpBuilder builder;
  const int64_t panel;
  const bool fastMatmul, pairs, tensorCores;

private:
  mlir::LogicalResult lower(mlir::Operation *op);
  /// Fails with an error unless weights are parameters and everything else has
  /// a buffer.
  mlir::LogicalResult checkOperands(mlir::Operation *op) const;
  void lowerReturn(mlir::func::ReturnOp op);
  mlir::Value constant(mlir::Value tensor, kernel::Layout layout,
                       mlir::MemRefType type);

  mlir::ModuleOp module;
  mlir::func::FuncOp source;
  mlir::func::FuncOp target;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::StringMap<mlir::Value> constants;
  llvm::StringMap<kernel::SpecOp> specs;
};

// One function per op: Embedding.cpp, Encoder.cpp, Linear.cpp, Maps.cpp,
// Heads.cpp.
mlir::LogicalResult lowerPatchEmbed(Lowering &state, vit::PatchEmbedOp op);
mlir::LogicalResult lowerConcatTokens(Lowering &state, vit::ConcatTokensOp op);
mlir::LogicalResult lowerAddPosition(Lowering &state, vit::AddPositionOp op);
mlir::LogicalResult lowerLayerNorm(Lowering &state, vit::LayerNormOp op);
mlir::LogicalResult lowerLinear(Lowering &state, vit::LinearOp op);
mlir::LogicalResult lowerActivation(Lowering &state, vit::ActivationOp op);
mlir::LogicalResult lowerAdd(Lowering &state, vit::AddOp op);
mlir::LogicalResult lowerAttention(Lowering &state, vit::AttentionOp op);
mlir::LogicalResult lowerSingleQueryAttention(Lowering &state,
                                              vit::SingleQueryAttentionOp op);
mlir::LogicalResult lowerSlice(Lowering &state, vit::SliceOp op);
mlir::LogicalResult lowerPool(Lowering &state, vit::PoolOp op);
mlir::LogicalResult lowerSoftmax(Lowering &state, vit::SoftmaxOp op);
mlir::LogicalResult lowerScale(Lowering &state, vit::ScaleOp op);
mlir::LogicalResult lowerAffine(Lowering &state, vit::AffineOp op);
mlir::LogicalResult lowerGate(Lowering &state, vit::GateOp op);
mlir::LogicalResult lowerRotate(Lowering &state, vit::RotateOp op);
mlir::LogicalResult lowerConcat(Lowering &state, vit::ConcatOp op);
mlir::LogicalResult lowerWindowPartition(Lowering &state,
                                         vit::WindowPartitionOp op);
mlir::LogicalResult lowerWindowMerge(Lowering &state, vit::WindowMergeOp op);
mlir::LogicalResult lowerSpaceToDepth(Lowering &state, vit::SpaceToDepthOp op);
mlir::LogicalResult lowerResizeMap(Lowering &state, vit::ResizeMapOp op);
mlir::LogicalResult lowerReshape(Lowering &state, vit::ReshapeOp op);
mlir::LogicalResult lowerTranspose(Lowering &state, vit::TransposeOp op);
mlir::LogicalResult lowerConv(Lowering &state, vit::ConvOp op);
mlir::LogicalResult lowerDepthwiseConv(Lowering &state,
                                       vit::DepthwiseConvOp op);
mlir::LogicalResult lowerGroupNorm(Lowering &state, vit::GroupNormOp op);
mlir::LogicalResult lowerSpatialPool(Lowering &state, vit::SpatialPoolOp op);

} // namespace vitc::lowering

#endif // VITC_CONVERSION_VITTOKERNEL_LOWERING_H
