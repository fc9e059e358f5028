// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the lowerings of all op families share: buffers, constants, specs and
/// calls.
#ifndef VITC_CONVERSION_VITTOKERNEL_LOWERING_H
#define VITC_CONVERSION_VITTOKERNEL_LOWERING_H

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/Activations.h"

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

// The kernels' words for the model's.
families::Activation wordFor(vit::Activation function);
families::NormKind wordFor(vit::NormKind kind);
families::PoolKind wordFor(vit::PoolKind kind);
families::SpatialPoolKind wordFor(vit::SpatialPoolKind kind);
families::RotaryPairing wordFor(vit::RotaryPairing pairing);
families::WindowOrder wordFor(vit::WindowOrder order);
families::BlockOrder wordFor(vit::BlockOrder order);
/// What a parameter is stored as.
families::WeightFormat storedWord(mlir::Value parameter);

/// The state of one conversion: `source` is read in order while the new
/// function grows.
class Lowering {
public:
  Lowering(mlir::ModuleOp module, mlir::func::FuncOp source);

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
  /// line for Winograd products, which can then work in place. Long rows are an
  /// odd multiple of 64 floats apart, so that a few columns of all rows, such
  /// as one head's, spread over all sets of a cache.
  int64_t paddedStride(int64_t columns) const;
  mlir::Value alloc(mlir::Location location, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> strides,
                    mlir::Type elementType = {});
  /// A new buffer for a tensor of fewer bits than float32, with rows of
  /// `stride` elements.
  mlir::Value allocNarrow(mlir::Value tensor, int64_t stride);
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
  /// The same for dot products of operands of fewer bits than float32.
  mlir::Value dotPanels(mlir::Value tensor);
  /// The scales of a weight matrix of bytes, and if asked for its sums.
  mlir::Value columnScales(mlir::Value tensor, bool sums = false);
  /// The same for Strassen's seven products, of each of `parts` parts of k.
  mlir::Value strassenPanels(mlir::Value tensor, int64_t parts);
  /// What a Winograd product needs of a weight matrix beside its panels.
  mlir::Value winogradSums(mlir::Value tensor);
  /// The parameter as rows of the given length (a vector is one row), zero in
  /// the padding.
  mlir::Value paddedRows(mlir::Value tensor, int64_t stride);
  /// The buffer of a parameter with a value for each column, padded as the
  /// kernel families ask for, whatever the panel.
  mlir::Value perColumn(mlir::Value parameter);

  //===--- calls
  //-----------------------------------------------------------===//
  struct Cost {
    double flops;
  };
  /// Calls the kernel of a specification with a buffer for each of its
  /// arguments. `words` go into the kernel's name, e.g. "197x768x768_gelu".
  /// Calls of branch 0 and 1 may run concurrently. A specification that breaks
  /// its family's bounds is reported, and run() fails.
  template <typename Spec>
  void call(mlir::Location location, const llvm::Twine &words, const Spec &spec,
            Cost cost,
            const typename Spec::template Arguments<mlir::Value> &arguments,
            std::optional<int64_t> branch = std::nullopt) {
    if (std::optional<families::Problem> problem = spec.check())
      return reject(location, Spec::family, *problem);
    llvm::SmallVector<mlir::Value> inputs, outputs;
    const char *missing = nullptr;
    arguments.visit(
        spec, [&](const char *name, families::Role role, mlir::Value buffer) {
          if (!buffer)
            missing = name;
          (families::isWritten(role) ? outputs : inputs).push_back(buffer);
        });
    if (missing)
      return reject(location, Spec::family,
                    {missing, "the lowering gives it no buffer"});
    call(location, words, kernel::specAttribute(builder.getContext(), spec),
         cost, inputs, outputs, branch);
  }
  /// A buffer for the argument `scratch`; null if the kernel has none.
  template <typename Spec>
  mlir::Value scratchFor(mlir::Location location, const Spec &spec) {
    return allocScratch(location, spec.arguments());
  }
  /// Adds `b` to `a`, broadcast over the rows of `a`; `out` may be `a`.
  void add(mlir::Location location, mlir::Value a, mlir::Value b,
           mlir::Value out);
  /// Copies a four-dimensional box between buffers; a source stride of 0
  /// repeats.
  void copy(mlir::Location location, mlir::Value from, mlir::Value to,
            llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> fromStrides,
            llvm::ArrayRef<int64_t> toStrides);

  //===--- algorithms
  //-------------------------------------------------------===//
  /// Levels that run the same calls.
  struct Alternative {
    kernel::Algorithm algorithm;
    llvm::SmallVector<llvm::StringRef> levels;
  };
  /// What was selected for the op, as few alternatives as can be: a call for
  /// Winograd's products is also one for plain ones, which levels take that do
  /// not gain (docs/KernelProtocol.md, gemm with `winograd`). Fails with an
  /// error if the selection is not one.
  mlir::FailureOr<llvm::SmallVector<Alternative>>
  alternativesOf(mlir::Operation *op) const;
  /// Runs `lower` for each alternative; its calls are for the alternative's
  /// levels, if there are others.
  mlir::LogicalResult
  lowerAlternatives(mlir::Operation *op,
                    llvm::function_ref<void(kernel::Algorithm)> lower);

  mlir::OpBuilder builder;
  const int64_t panel; ///< columns in a panel of packed weights
  const bool winograd; ///< some level computes Winograd's products

private:
  mlir::LogicalResult lower(mlir::Operation *op);
  /// Fails with an error unless weights are parameters and everything else has
  /// a buffer.
  mlir::LogicalResult checkOperands(mlir::Operation *op) const;
  void lowerReturn(mlir::func::ReturnOp op);
  mlir::Value constant(mlir::Value tensor, kernel::LayoutInterface layout);
  void call(mlir::Location location, const llvm::Twine &words,
            kernel::SpecInterface spec, Cost cost,
            llvm::ArrayRef<mlir::Value> inputs,
            llvm::ArrayRef<mlir::Value> outputs, std::optional<int64_t> branch);
  void reject(mlir::Location location, llvm::StringRef family,
              const families::Problem &problem);
  mlir::Value allocScratch(mlir::Location location,
                           llvm::ArrayRef<families::Argument> arguments);

  mlir::ModuleOp module;
  mlir::func::FuncOp source;
  mlir::func::FuncOp target;
  mlir::SymbolTable symbols;
  mlir::ArrayAttr levels; ///< of the calls that are made; null for all
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// Of a parameter's name and a layout.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, mlir::Value>
      constants;
  llvm::DenseMap<mlir::Attribute, kernel::SpecOp> specs;
  bool rejected = false; ///< a specification was wrong
};

// One function per op, lower<Op>: Embedding.cpp, Encoder.cpp, Linear.cpp,
// Maps.cpp, Heads.cpp, and Lowering.cpp for those without a kernel. The linker
// names an op that has none.
#define VITC_VIT_OP(Name)                                                      \
  mlir::LogicalResult lower##Name(Lowering &state, vit::Name##Op op);
#include "vitc/Dialect/ViT/IR/ViTOpList.h.inc"

} // namespace vitc::lowering

#endif // VITC_CONVERSION_VITTOKERNEL_LOWERING_H
