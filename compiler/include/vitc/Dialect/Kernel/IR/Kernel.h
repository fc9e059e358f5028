// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The kernel dialect: calls of compiled kernels on placed buffers (see
/// KernelOps.td).
#ifndef VITC_DIALECT_KERNEL_IR_KERNEL_H
#define VITC_DIALECT_KERNEL_IR_KERNEL_H

#include "vitc/Dialect/Kernel/IR/Layouts.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "families/Families.h"

#include "vitc/Dialect/Kernel/IR/KernelDialect.h.inc"
#include "vitc/Dialect/Kernel/IR/KernelEnums.h.inc"

namespace vitc::kernel {

/// True for the buffers that ops of the dialect take: of an element type that
/// the runtime knows, shape, strides and offset static and not negative, no
/// dimension empty, and all of it small enough that places in bytes fit in 64
/// bits.
bool isBuffer(mlir::Type type);

} // namespace vitc::kernel

namespace vitc::families {

/// Of the fields of a specification. LLVM looks for it by this name.
template <typename Spec, typename = decltype(Spec::family)>
// NOLINTNEXTLINE(readability-identifier-naming)
llvm::hash_code hash_value(const Spec &spec) {
  llvm::hash_code hash(0);
  auto add = [&](const auto &value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>)
      hash = llvm::hash_combine(hash, llvm::bit_cast<uint64_t>(value));
    else
      hash = llvm::hash_combine(hash, value);
  };
  Spec::visitFields([&](const char *, auto member) {
    const auto &value = spec.*member;
    if constexpr (std::is_same_v<decltype(value),
                                 const std::array<int64_t, 4> &>)
      for (int64_t element : value)
        add(element);
    else
      add(value);
  });
  return hash;
}

} // namespace vitc::families

#include "vitc/Dialect/Kernel/IR/KernelInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "vitc/Dialect/Kernel/IR/KernelAttrs.h.inc"

#define GET_OP_CLASSES
#include "vitc/Dialect/Kernel/IR/KernelOps.h.inc"

namespace vitc::kernel {

/// Every buffer starts at a multiple of this many bytes.
constexpr int64_t alignment = 64;

// What planning leaves on the function and the module, in bytes.
constexpr llvm::StringLiteral workspaceBytesAttrName = "kernel.workspace_bytes";
constexpr llvm::StringLiteral pixelsOffsetAttrName = "kernel.pixels_offset";
constexpr llvm::StringLiteral scratchBytesAttrName = "kernel.scratch_bytes";
constexpr llvm::StringLiteral scratchOffsetAttrName = "kernel.scratch_offset";
/// The module's target, and the algorithms that an op was given: a LevelAttr
/// for each of its levels.
constexpr llvm::StringLiteral targetAttrName = "kernel.target";
constexpr llvm::StringLiteral selectedAttrName = "kernel.selected";

/// The module's target; without one, panels of 16 columns and plain kernels.
TargetAttr targetOf(mlir::ModuleOp module);

/// Whether the call is one of the level's.
bool runsAt(CallOp call, llvm::StringRef level);

constexpr llvm::StringLiteral weightsBytesAttrName = "kernel.weights_bytes";

/// The C++ function of the calls for several images of a batch.
constexpr llvm::StringLiteral finishName = "finish";

/// The attribute of a specification.
#define VITC_SPEC_ATTRIBUTE(name)                                              \
  inline SpecInterface specAttribute(mlir::MLIRContext *context,               \
                                     const families::name##Spec &spec) {       \
    return name##SpecAttr::get(context, spec);                                 \
  }
VITC_KERNEL_FAMILIES(VITC_SPEC_ATTRIBUTE)
#undef VITC_SPEC_ATTRIBUTE

/// The name of a kernel: its family, words that people read, and a hash of all
/// that makes it the kernel that it is.
std::string specName(llvm::StringRef words, SpecInterface config);

/// Offset of the first element and one past the last, in elements of the memory
/// behind the buffer. Types are static.
std::pair<int64_t, int64_t> elementRange(mlir::MemRefType type);

/// Whether an MLIR type is an element type of the kernel families.
bool isElementType(mlir::Type type, families::ElementType wanted);

/// Bytes to set aside for the buffer: whole rows, for a kernel may write the
/// padding of every row, the last one too.
int64_t reservedBytes(mlir::MemRefType type);

/// The alloc, weight or argument that a chain of views starts from.
mlir::Value rootBuffer(mlir::Value buffer);

/// Whether the call and the one before it belong to branches that may run
/// concurrently.
bool continuesConcurrentRun(CallOp call);

} // namespace vitc::kernel

#endif // VITC_DIALECT_KERNEL_IR_KERNEL_H
