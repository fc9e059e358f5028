// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Reference/Interpreter.h"

#include "Execute.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace vitc;

namespace {

/// Runs the ops of one block in order; a value is dropped after its last use.
class BlockInterpreter {
public:
  BlockInterpreter(ModuleOp module, const Checkpoint &checkpoint,
                   const TensorObserver &observer)
      : module(module), checkpoint(checkpoint), observer(observer) {}

  void define(Value value, Tensor tensor) { values[value] = std::move(tensor); }
  /// The operands of the block's terminator.
  std::vector<Tensor> run(Block &block);

private:
  /// Makes sure that a parameter has its value.
  void read(Value value);

  ModuleOp module;
  const Checkpoint &checkpoint;
  const TensorObserver &observer;
  reference::Values values;
};

} // namespace

std::vector<Tensor> BlockInterpreter::run(Block &block) {
  DenseMap<Value, Operation *> lastUser;
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      lastUser[operand] = &op;

  for (Operation &op : block.without_terminator()) {
    if (isa<vit::GetOp>(op))
      continue; // read when it is used, so that not all weights are in memory
                // at once
    for (Value operand : op.getOperands())
      read(operand);
    reference::Results results = reference::execute(&op, values);
    define(op.getResult(0), std::move(results.first));
    if (op.getNumResults() > 1)
      define(op.getResult(1), std::move(results.second));
    if (observer)
      for (Value result : op.getResults())
        observer(vit::layerName(op.getLoc()), values.at(result));
    for (Value operand : op.getOperands())
      if (lastUser[operand] == &op)
        values.erase(operand);
  }
  std::vector<Tensor> results;
  for (Value operand : block.getTerminator()->getOperands()) {
    read(operand);
    results.push_back(values.at(operand));
  }
  return results;
}

void BlockInterpreter::read(Value value) {
  auto get = value.getDefiningOp<vit::GetOp>();
  if (!get || values.contains(value))
    return;
  auto parameter = SymbolTable::lookupNearestSymbolFrom<vit::ParameterOp>(
      module, get.getParameterAttr());
  define(value, evaluateParameter(parameter, checkpoint));
}

Tensor vitc::evaluateParameter(vit::ParameterOp parameter,
                               const Checkpoint &checkpoint) {
  if (parameter.isDerived())
    return BlockInterpreter(parameter->getParentOfType<ModuleOp>(), checkpoint,
                            nullptr)
        .run(parameter.getBody().front())
        .front();
  Tensor tensor(parameter.getTensorType().getShape());
  checkpoint.read(*checkpoint.find(parameter.getSymName()), 0, tensor.data);
  return tensor;
}

std::vector<Tensor> vitc::interpret(ModuleOp module,
                                    const Checkpoint &checkpoint,
                                    const Tensor &image,
                                    const TensorObserver &observer) {
  auto function = module.lookupSymbol<func::FuncOp>(vit::forwardName);
  BlockInterpreter interpreter(module, checkpoint, observer);
  interpreter.define(function.getArgument(0), image);
  return interpreter.run(function.getBody().front());
}
