// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the outputs of a model are, beyond their shapes.
#ifndef VITC_TARGET_CPP_OUTPUTFORMS_H
#define VITC_TARGET_CPP_OUTPUTFORMS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace vitc {

/// The runtime's list: vitc_output_kind.
enum class OutputKind {
#define VITC_OUTPUT_KIND(Id, NAME, Number, Text) Id = Number,
#include "../../../../../runtime/include/vitc/runtime/output_kinds.def"
};

llvm::StringRef enumeratorOf(OutputKind kind); ///< "VITC_KIND_LOGITS"
llvm::StringRef textOf(OutputKind kind);       ///< "logits"

struct OutputForm {
  OutputKind kind = OutputKind::Values;
  std::string layout; ///< a letter for each axis: vitc_output_v2
};

/// Of every output of an imported model, in their order.
std::vector<OutputForm> outputForms(mlir::ModuleOp imported);

} // namespace vitc

#endif // VITC_TARGET_CPP_OUTPUTFORMS_H
