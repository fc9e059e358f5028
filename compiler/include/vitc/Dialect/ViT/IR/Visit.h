// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What must be written for every op of the vit dialect, outside of the
/// dialect: functions with an overload for each op.
#ifndef VITC_DIALECT_VIT_IR_VISIT_H
#define VITC_DIALECT_VIT_IR_VISIT_H

#include "vitc/Dialect/ViT/IR/ViT.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"

namespace vitc::vit {

namespace detail {
template <typename Result, typename... Ops, typename Visitor>
Result visitOneOf(mlir::Operation *op, Visitor &&visitor) {
  return llvm::TypeSwitch<mlir::Operation *, Result>(op)
      .template Case<Ops...>(visitor)
      .Default([](mlir::Operation *op) -> Result {
        llvm::report_fatal_error(op->getName().getStringRef() +
                                 " is not an op of the vit dialect");
      });
}
} // namespace detail

/// Calls `visitor` with the op, which is one of the vit dialect, as its own
/// class. The visitor takes every op of the dialect: for a new op that it does
/// not take the compiler says so.
template <typename Result, typename Visitor>
Result visit(mlir::Operation *op, Visitor &&visitor) {
  return detail::visitOneOf<Result,
#define GET_OP_LIST
#include "vitc/Dialect/ViT/IR/ViTOps.cpp.inc"
                            >(op, std::forward<Visitor>(visitor));
}

} // namespace vitc::vit

#endif // VITC_DIALECT_VIT_IR_VISIT_H
