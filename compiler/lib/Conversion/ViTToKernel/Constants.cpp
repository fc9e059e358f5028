// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Parameters as kernels read them.
#include "Lowering.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::lowering;

/// "panels" for #kernel.panels<32>.
static StringRef layoutName(kernel::LayoutInterface layout) {
  return layout.getAbstractAttribute().getName().rsplit('.').second;
}

Value Lowering::constant(Value tensor, kernel::LayoutInterface layout) {
  auto get = tensor.getDefiningOp<vit::GetOp>();
  assert(get && "weights are parameters after vit-hoist-parameters");
  Value &known = constants[{get.getParameterAttr(), layout}];
  if (known)
    return known;

  MemRefType type =
      layout.getBufferType(cast<RankedTensorType>(tensor.getType()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(target);
  auto op = kernel::ConstantOp::create(
      builder, get.getLoc(),
      (get.getParameter() + "." + layoutName(layout)).str(), get.getParameter(),
      layout, type, IntegerAttr());
  StringAttr name = symbols.insert(op);
  builder.setInsertionPointToStart(&target.getBody().front());
  return known = kernel::WeightOp::create(builder, get.getLoc(), type,
                                          FlatSymbolRefAttr::get(name));
}

Value Lowering::panels(Value tensor) {
  return constant(tensor, kernel::PanelsAttr::get(builder.getContext(), panel));
}

Value Lowering::dotPanels(Value tensor) {
  return constant(tensor,
                  kernel::DotPanelsAttr::get(builder.getContext(), panel));
}

Value Lowering::columnScales(Value tensor, bool sums) {
  return constant(
      tensor, kernel::ColumnScalesAttr::get(builder.getContext(), panel, sums));
}

Value Lowering::strassenPanels(Value tensor, int64_t parts) {
  return constant(
      tensor, kernel::StrassenAttr::get(builder.getContext(), panel, parts));
}

Value Lowering::winogradSums(Value tensor) {
  return constant(tensor,
                  kernel::WinogradSumsAttr::get(builder.getContext(), panel));
}

Value Lowering::paddedRows(Value tensor, int64_t stride) {
  return constant(tensor, kernel::RowsAttr::get(builder.getContext(), stride));
}

Value Lowering::perColumn(Value parameter) {
  int64_t columns =
      cast<RankedTensorType>(parameter.getType()).getShape().back();
  return paddedRows(parameter,
                    std::max(llvm::alignTo(columns, panel),
                             llvm::alignTo(columns, families::lineElements)));
}
