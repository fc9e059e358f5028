// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The vit dialect: a Vision Transformer in the words of its papers (see
/// ViTOps.td).
#ifndef VITC_DIALECT_VIT_IR_VIT_H
#define VITC_DIALECT_VIT_IR_VIT_H

#include "vitc/Dialect/ViT/IR/Formats.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "vitc/Dialect/ViT/IR/ViTDialect.h.inc"
#include "vitc/Dialect/ViT/IR/ViTEnums.h.inc"
#include "vitc/Dialect/ViT/IR/ViTInterfaces.h.inc"

namespace vitc::vit {

/// A tensor of a model has fewer elements than this, so that sizes in bytes and
/// sums of a few extents fit in 64 bits.
constexpr int64_t maxElements = int64_t(1) << 40;

/// True for the tensors that ops of the dialect take: f32, ranked, static, with
/// one or more dimensions and no empty one.
bool isModelTensor(mlir::Type type);

/// The same in a format of fewer bits.
bool isNarrowTensor(mlir::Type type);

/// The same in f32 or in a format that weights have.
bool isWeightTensor(mlir::Type type);

} // namespace vitc::vit

#define GET_OP_CLASSES
#include "vitc/Dialect/ViT/IR/ViTOps.h.inc"

namespace vitc::vit {

/// The function that every model is: one image tensor in, the outputs asked
/// for out.
constexpr llvm::StringLiteral forwardName = "forward";
/// On each result of the function: the output's name, as the model's own
/// library calls it.
constexpr llvm::StringLiteral outputAttrName = "vit.output";

/// The words at a location: the layer or tensor that an op or parameter comes
/// from.
std::string layerName(mlir::Location location);

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_IR_VIT_H
