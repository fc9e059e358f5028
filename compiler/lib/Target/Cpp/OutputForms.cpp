// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Target/Cpp/OutputForms.h"

#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace vitc;

StringRef vitc::enumeratorOf(OutputKind kind) {
  switch (kind) {
#define VITC_OUTPUT_KIND(Id, NAME, Number, Text)                               \
  case OutputKind::Id:                                                         \
    return "VITC_KIND_" #NAME;
#include "../../../../runtime/include/vitc/runtime/output_kinds.def"
  }
  llvm_unreachable("unknown kind");
}

StringRef vitc::textOf(OutputKind kind) {
  switch (kind) {
#define VITC_OUTPUT_KIND(Id, NAME, Number, Text)                               \
  case OutputKind::Id:                                                         \
    return Text;
#include "../../../../runtime/include/vitc/runtime/output_kinds.def"
  }
  llvm_unreachable("unknown kind");
}

/// Whether a map of tokens was turned to have its channels first.
static bool hasChannelsFirst(Value map) {
  auto reshape = map.getDefiningOp<vit::ReshapeOp>();
  return reshape && reshape->getOperand(0).getDefiningOp<vit::TransposeOp>();
}

/// Outputs have the names that the model's own library gives them, and names
/// mean the same in all of these. What a name leaves open its rank tells.
static OutputForm formOf(StringRef name, Value output) {
  int64_t rank = cast<RankedTensorType>(output.getType()).getRank();
  if (name.starts_with("attentions"))
    return {OutputKind::Attention, rank == 5 ? "NLATT"
                                   : rank == 4
                                       ? "NATT"
                                       : "N" + std::string(rank - 1, 'X')};
  if (name == "hidden_states" && rank == 4)
    return {OutputKind::Tokens, "NLTC"};
  switch (rank) {
  case 2:
    if (name == "probabilities")
      return {OutputKind::Probabilities, "NC"};
    if (name.ends_with("logits") && name != "pre_logits")
      return {OutputKind::Logits, "NC"};
    return {OutputKind::Embedding, "NC"};
  case 3:
    return {OutputKind::Tokens, "NTC"};
  case 4:
    return {OutputKind::Map, hasChannelsFirst(output) ? "NCHW" : "NHWC"};
  default:
    return {OutputKind::Values, "N" + std::string(rank - 1, 'X')};
  }
}

std::vector<OutputForm> vitc::outputForms(ModuleOp imported) {
  auto forward = imported.lookupSymbol<func::FuncOp>(vit::forwardName);
  Operation *end = forward.getBody().front().getTerminator();
  std::vector<OutputForm> forms;
  for (auto [index, output] : llvm::enumerate(end->getOperands()))
    forms.push_back(formOf(
        forward.getResultAttrOfType<StringAttr>(index, vit::outputAttrName),
        output));
  return forms;
}
