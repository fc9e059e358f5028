// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Reference/Interpreter.h"

#include "Operations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

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
  void execute(Operation &op);
  /// Makes sure that a parameter has its value.
  void read(Value value);
  const Tensor &operator[](Value value) { return values.find(value)->second; }
  const Tensor *optional(Value value) {
    return value ? &(*this)[value] : nullptr;
  }
  SmallVector<const Tensor *> all(ValueRange range) {
    return llvm::map_to_vector(range,
                               [&](Value value) { return &(*this)[value]; });
  }

  ModuleOp module;
  const Checkpoint &checkpoint;
  const TensorObserver &observer;
  DenseMap<Value, Tensor> values;
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
    execute(op);
    if (observer)
      for (Value result : op.getResults())
        observer(vit::layerName(op.getLoc()), (*this)[result]);
    for (Value operand : op.getOperands())
      if (lastUser[operand] == &op)
        values.erase(operand);
  }
  std::vector<Tensor> results;
  for (Value operand : block.getTerminator()->getOperands()) {
    read(operand);
    results.push_back((*this)[operand]);
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

static reference::Resize resizeOf(vit::ResizePositionOp op) {
  reference::Resize resize;
  resize.interpolation = op.getInterpolation();
  resize.antialias = op.getAntialias();
  if (auto factors = op.getFactors())
    resize.factors = {(*factors)[0], (*factors)[1]};
  return resize;
}

void BlockInterpreter::execute(Operation &operation) {
  using namespace reference;
  auto &self = *this;
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  Tensor maps;
  Tensor result =
      TypeSwitch<Operation *, Tensor>(&operation)
          .Case([&](vit::PatchEmbedOp op) {
            return patchEmbed(self[op.getImage()], self[op.getWeight()],
                              optional(op.getBias()),
                              optional(op.getPosition()));
          })
          .Case([&](vit::ConcatTokensOp op) {
            return concatTokens(self[op.getTokens()], self[op.getSequence()]);
          })
          .Case([&](vit::ResizePositionOp op) {
            return resizePosition(
                self[op.getTable()], {op.getFrom()[0], op.getFrom()[1]},
                {op.getTo()[0], op.getTo()[1]}, op.getPrefix(), resizeOf(op));
          })
          .Case([&](vit::AddPositionOp op) {
            return addPosition(self[op.getSequence()], self[op.getPosition()]);
          })
          .Case([&](vit::LayerNormOp op) {
            return layerNorm(self[op.getInput()], optional(op.getGain()),
                             optional(op.getBias()),
                             op.getEps().convertToDouble(), op.getKind(),
                             op.getGroups());
          })
          .Case([&](vit::LinearOp op) {
            Tensor y =
                activate(linear(self[op.getInput()], self[op.getWeight()],
                                optional(op.getBias())),
                         op.getActivation());
            return op.getResidual() ? add(std::move(y), self[op.getResidual()])
                                    : y;
          })
          .Case([&](vit::ConvOp op) {
            Tensor y = activate(conv(self[op.getInput()], self[op.getWeight()],
                                     optional(op.getBias()), op.getGrid(),
                                     op.getStride(), op.getPadding()),
                                op.getActivation());
            return op.getResidual() ? add(std::move(y), self[op.getResidual()])
                                    : y;
          })
          .Case([&](vit::DepthwiseConvOp op) {
            return activate(depthwiseConv(self[op.getMap()],
                                          self[op.getWeight()],
                                          optional(op.getBias()), op.getGrid(),
                                          op.getStride(), op.getPadding()),
                            op.getActivation());
          })
          .Case([&](vit::GroupNormOp op) {
            Tensor y = groupNorm(self[op.getMap()], self[op.getGain()],
                                 self[op.getBias()], op.getGroups(),
                                 op.getEps().convertToDouble());
            if (op.getResidual())
              y = add(std::move(y), self[op.getResidual()]);
            return activate(std::move(y), op.getActivation());
          })
          .Case([&](vit::SpatialPoolOp op) {
            return spatialPool(self[op.getMap()], op.getKind(), op.getGrid(),
                               op.getWindow(), op.getStride(), op.getPadding(),
                               op.getPadZero());
          })
          .Case([&](vit::ResizeMapOp op) {
            return resizeMap(self[op.getMap()], op.getFrom(), op.getTo());
          })
          .Case([&](vit::WindowPartitionOp op) {
            return windowPartition(self[op.getMap()], op.getGrid(),
                                   op.getWindow(), op.getShift(),
                                   op.getOrder());
          })
          .Case([&](vit::WindowMergeOp op) {
            return windowMerge(self[op.getWindows()], op.getGrid(),
                               op.getWindow(), op.getShift(), op.getOrder());
          })
          .Case([&](vit::WindowMaskOp op) {
            return windowMask(op.getGrid(), op.getWindow(), op.getShift(),
                              op.getValue().convertToDouble());
          })
          .Case([&](vit::RelativeBiasOp op) {
            return relativeBias(self[op.getTable()], op.getGrid(),
                                op.getPrefix());
          })
          .Case([&](vit::SpaceToDepthOp op) {
            return spaceToDepth(self[op.getMap()], op.getGrid(), op.getBlock(),
                                op.getOrder());
          })
          .Case([&](vit::RotateOp op) {
            return rotate(self[op.getInput()], self[op.getCos()],
                          self[op.getSin()], op.getHeads(), op.getPairs());
          })
          .Case([&](vit::AffineOp op) {
            return affine(self[op.getInput()], self[op.getScale()],
                          optional(op.getShift()));
          })
          .Case([&](vit::GateOp op) {
            return gate(self[op.getInput()], self[op.getGate()],
                        op.getActivation());
          })
          .Case([&](vit::ActivationOp op) {
            return activate(self[op.getInput()], op.getFunction());
          })
          .Case([&](vit::AttentionOp op) {
            if (op.getProbabilities())
              maps = Tensor(shapeOf(op.getProbabilities()));
            return attention(self[op.getQuery()], self[op.getKey()],
                             self[op.getValue()], optional(op.getBias()),
                             optional(op.getMask()), op.getHeads(),
                             op.getScale().convertToDouble(),
                             op.getProbabilities() ? &maps : nullptr);
          })
          .Case([&](vit::MlpOp op) {
            Tensor hidden =
                activate(linear(self[op.getInput()], self[op.getUp()],
                                optional(op.getUpBias())),
                         op.getActivation());
            return linear(hidden, self[op.getDown()],
                          optional(op.getDownBias()));
          })
          .Case([&](vit::AddOp op) {
            return add(self[op.getLhs()], self[op.getRhs()]);
          })
          .Case([&](vit::PoolOp op) {
            return pool(self[op.getSequence()], op.getKind(), op.getFirst());
          })
          .Case([&](vit::HeadOp op) {
            return activate(linear(self[op.getPooled()], self[op.getWeight()],
                                   optional(op.getBias())),
                            op.getActivation());
          })
          .Case([&](vit::SoftmaxOp op) { return softmax(self[op.getInput()]); })
          .Case([&](vit::StackOp op) { return stack(all(op.getInputs())); })
          .Case([&](vit::ConcatOp op) {
            return concat(all(op.getInputs()), op.getDimension());
          })
          .Case([&](vit::SliceOp op) {
            return slice(self[op.getInput()], op.getDimension(), op.getOffset(),
                         shapeOf(op.getResult())[op.getDimension()]);
          })
          .Case([&](vit::SingleQueryAttentionOp op) {
            return singleQueryAttention(self[op.getSequence()],
                                        self[op.getQuery()], self[op.getKey()],
                                        self[op.getValue()], op.getHeads(),
                                        op.getScale().convertToDouble());
          })
          .Case([&](vit::FillOp op) {
            return fill(shapeOf(op.getResult()),
                        op.getConstant().convertToDouble());
          })
          .Case([&](vit::ScaleOp op) {
            return scale(self[op.getInput()], op.getFactor().convertToDouble());
          })
          .Case([&](vit::ScaleColumnsOp op) {
            return scaleColumns(self[op.getTensor()], self[op.getFactors()]);
          })
          .Case([&](vit::ScaleRowsOp op) {
            return scaleRows(self[op.getTensor()], self[op.getFactors()]);
          })
          .Case([&](vit::ConstantOp op) {
            Tensor tensor(shapeOf(op.getResult()));
            llvm::copy(op.getValues().getValues<double>(), tensor.data.begin());
            return tensor;
          })
          .Case([&](vit::ReshapeOp op) {
            return reshape(self[op.getInput()], shapeOf(op.getResult()));
          })
          .Case([&](vit::TransposeOp op) {
            return transpose(self[op.getInput()], op.getOrder());
          })
          .Case([&](vit::ExpOp op) {
            return exp(self[op.getInput()], op.getLimit().convertToDouble());
          })
          .Case([&](vit::InverseRootOp op) {
            return inverseRoot(self[op.getInput()],
                               op.getEps().convertToDouble());
          })
          .Case([&](vit::StandardizeOp op) {
            return standardize(self[op.getWeight()],
                               op.getEps().convertToDouble());
          })
          .Default([](Operation *op) -> Tensor {
            llvm::report_fatal_error(
                "the reference interpreter does not know " +
                op->getName().getStringRef());
          });
  define(operation.getResult(0), std::move(result));
  if (operation.getNumResults() > 1)
    define(operation.getResult(1), std::move(maps));
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
