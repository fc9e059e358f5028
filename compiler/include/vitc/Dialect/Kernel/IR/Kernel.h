// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The kernel dialect: calls of compiled kernels on placed buffers (see
/// KernelOps.td).
#ifndef VITC_DIALECT_KERNEL_IR_KERNEL_H
#define VITC_DIALECT_KERNEL_IR_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "vitc/Dialect/Kernel/IR/KernelDialect.h.inc"
#include "vitc/Dialect/Kernel/IR/KernelEnums.h.inc"

namespace vitc::kernel {

/// True for the buffers that ops of the dialect take: f32, shape, strides and
/// offset static and not negative, no dimension empty, and all of it small
/// enough that places in bytes fit in 64 bits.
bool isBuffer(mlir::Type type);

} // namespace vitc::kernel

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
/// Products of Strassen's algorithm for matrices of two by two blocks, which
/// takes them in place of eight.
constexpr int64_t strassenProducts = 7;
/// Those whose left operand is a combination of blocks; the others' is one.
constexpr int64_t strassenCombinations = 5;

/// Paired products (docs/KernelProtocol.md): of three steps of k two are a
/// pair; blocks of 32 such triples are added and subtracted in turn.
constexpr int64_t tripleSteps = 3, blockTriples = 32;
/// The fewest steps of k that they take: a block of each kind.
constexpr int64_t pairedSteps = 2 * blockTriples * tripleSteps;
/// Floats behind a row, and behind the columns' sums: a cache line.
constexpr int64_t pairFloats = 16;

constexpr llvm::StringLiteral weightsBytesAttrName = "kernel.weights_bytes";

/// The C++ function of the calls for all images of a batch.
constexpr llvm::StringLiteral finishName = "finish";

/// The name of a kernel: words that people read, and a hash of all that makes
/// it the kernel that it is.
std::string specName(const llvm::Twine &words, llvm::StringRef family,
                     mlir::DictionaryAttr config);

/// Offset of the first element and one past the last, in elements of the memory
/// behind the buffer. Types are static.
std::pair<int64_t, int64_t> elementRange(mlir::MemRefType type);

/// Bytes to set aside for the buffer: whole rows, for a kernel may write the
/// padding of every row, the last one too.
int64_t reservedBytes(mlir::MemRefType type);

/// The alloc, weight or argument that a chain of views starts from.
mlir::Value rootBuffer(mlir::Value buffer);

/// Whether a call belongs with the one before to calls that may run side by
/// side.
bool goesOnSideBySide(CallOp call);

} // namespace vitc::kernel

#endif // VITC_DIALECT_KERNEL_IR_KERNEL_H
