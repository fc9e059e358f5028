// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Execute.h"

#include "Operations.h"

#include "vitc/Dialect/ViT/IR/Visit.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::reference;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Resize resizeOf(vit::ResizePositionOp op) {
  Resize resize;
  resize.interpolation = op.getInterpolation();
  resize.antialias = op.getAntialias();
  if (auto factors = op.getFactors())
    resize.factors = {(*factors)[0], (*factors)[1]};
  return resize;
}

Results Executor::operator()(vit::PatchEmbedOp op) const {
  return patchEmbed(in[op.getImage()], in[op.getWeight()],
                    in.optional(op.getBias()), in.optional(op.getPosition()));
}

Results Executor::operator()(vit::ConcatTokensOp op) const {
  return concatTokens(in[op.getTokens()], in[op.getSequence()]);
}

Results Executor::operator()(vit::ResizePositionOp op) const {
  return resizePosition(in[op.getTable()], {op.getFrom()[0], op.getFrom()[1]},
                        {op.getTo()[0], op.getTo()[1]}, op.getPrefix(),
                        resizeOf(op));
}

Results Executor::operator()(vit::AddPositionOp op) const {
  return addPosition(in[op.getSequence()], in[op.getPosition()]);
}

Results Executor::operator()(vit::LayerNormOp op) const {
  return layerNorm(in[op.getInput()], in.optional(op.getGain()),
                   in.optional(op.getBias()), op.getEps().convertToDouble(),
                   op.getKind(), op.getGroups());
}

Results Executor::operator()(vit::QuantizeOp op) const {
  return quantize(
      in[op.getInput()],
      *vit::formatOf(cast<RankedTensorType>(op.getType()).getElementType()));
}

Results Executor::operator()(vit::LinearOp op) const {
  Tensor y = activate(
      linear(in[op.getInput()], in[op.getWeight()], in.optional(op.getBias())),
      op.getActivation());
  return op.getResidual() ? add(std::move(y), in[op.getResidual()]) : y;
}

Results Executor::operator()(vit::ConvOp op) const {
  Tensor y = activate(conv(in[op.getInput()], in[op.getWeight()],
                           in.optional(op.getBias()), op.getGrid(),
                           op.getStride(), op.getPadding()),
                      op.getActivation());
  return op.getResidual() ? add(std::move(y), in[op.getResidual()]) : y;
}

Results Executor::operator()(vit::DepthwiseConvOp op) const {
  return activate(depthwiseConv(in[op.getMap()], in[op.getWeight()],
                                in.optional(op.getBias()), op.getGrid(),
                                op.getStride(), op.getPadding()),
                  op.getActivation());
}

Results Executor::operator()(vit::GroupNormOp op) const {
  Tensor y = groupNorm(in[op.getMap()], in[op.getGain()], in[op.getBias()],
                       op.getGroups(), op.getEps().convertToDouble());
  if (op.getResidual())
    y = add(std::move(y), in[op.getResidual()]);
  return activate(std::move(y), op.getActivation());
}

Results Executor::operator()(vit::SpatialPoolOp op) const {
  return spatialPool(in[op.getMap()], op.getKind(), op.getGrid(),
                     op.getWindow(), op.getStride(), op.getPadding(),
                     op.getPadZero());
}

Results Executor::operator()(vit::ResizeMapOp op) const {
  return resizeMap(in[op.getMap()], op.getFrom(), op.getTo());
}

Results Executor::operator()(vit::WindowPartitionOp op) const {
  return windowPartition(in[op.getMap()], op.getGrid(), op.getWindow(),
                         op.getShift(), op.getOrder());
}

Results Executor::operator()(vit::WindowMergeOp op) const {
  return windowMerge(in[op.getWindows()], op.getGrid(), op.getWindow(),
                     op.getShift(), op.getOrder());
}

Results Executor::operator()(vit::WindowMaskOp op) const {
  return windowMask(op.getGrid(), op.getWindow(), op.getShift(),
                    op.getValue().convertToDouble());
}

Results Executor::operator()(vit::RelativeBiasOp op) const {
  return relativeBias(in[op.getTable()], op.getGrid(), op.getPrefix());
}

Results Executor::operator()(vit::SpaceToDepthOp op) const {
  return spaceToDepth(in[op.getMap()], op.getGrid(), op.getBlock(),
                      op.getOrder());
}

Results Executor::operator()(vit::RotateOp op) const {
  return rotate(in[op.getInput()], in[op.getCos()], in[op.getSin()],
                op.getHeads(), op.getPairing());
}

Results Executor::operator()(vit::AffineOp op) const {
  return affine(in[op.getInput()], in[op.getScale()],
                in.optional(op.getShift()));
}

Results Executor::operator()(vit::GateOp op) const {
  return gate(in[op.getInput()], in[op.getGate()], op.getActivation());
}

Results Executor::operator()(vit::ActivationOp op) const {
  return activate(in[op.getInput()], op.getFunction());
}

Results Executor::operator()(vit::AttentionOp op) const {
  Tensor maps;
  if (op.getProbabilities())
    maps = Tensor(shapeOf(op.getProbabilities()));
  Tensor result = attention(
      in[op.getQuery()], in[op.getKey()], in[op.getValue()],
      in.optional(op.getBias()), in.optional(op.getMask()), op.getHeads(),
      op.getScale().convertToDouble(), op.getProbabilities() ? &maps : nullptr);
  return {std::move(result), std::move(maps)};
}

Results Executor::operator()(vit::MlpOp op) const {
  Tensor hidden = activate(
      linear(in[op.getInput()], in[op.getUp()], in.optional(op.getUpBias())),
      op.getActivation());
  return linear(hidden, in[op.getDown()], in.optional(op.getDownBias()));
}

Results Executor::operator()(vit::AddOp op) const {
  return add(in[op.getLhs()], in[op.getRhs()]);
}

Results Executor::operator()(vit::PoolOp op) const {
  return pool(in[op.getSequence()], op.getKind(), op.getFirst());
}

Results Executor::operator()(vit::HeadOp op) const {
  return activate(
      linear(in[op.getPooled()], in[op.getWeight()], in.optional(op.getBias())),
      op.getActivation());
}

Results Executor::operator()(vit::SoftmaxOp op) const {
  return softmax(in[op.getInput()]);
}

Results Executor::operator()(vit::StackOp op) const {
  return stack(in.all(op.getInputs()));
}

Results Executor::operator()(vit::ConcatOp op) const {
  return concat(in.all(op.getInputs()), op.getDimension());
}

Results Executor::operator()(vit::SliceOp op) const {
  return slice(in[op.getInput()], op.getDimension(), op.getOffset(),
               shapeOf(op.getResult())[op.getDimension()]);
}

Results Executor::operator()(vit::SingleQueryAttentionOp op) const {
  return singleQueryAttention(in[op.getSequence()], in[op.getQuery()],
                              in[op.getKey()], in[op.getValue()], op.getHeads(),
                              op.getScale().convertToDouble());
}

Results Executor::operator()(vit::FillOp op) const {
  return fill(shapeOf(op.getResult()), op.getConstant().convertToDouble());
}

Results Executor::operator()(vit::ScaleOp op) const {
  return scale(in[op.getInput()], op.getFactor().convertToDouble());
}

Results Executor::operator()(vit::ScaleColumnsOp op) const {
  return scaleColumns(in[op.getTensor()], in[op.getFactors()]);
}

Results Executor::operator()(vit::ScaleRowsOp op) const {
  return scaleRows(in[op.getTensor()], in[op.getFactors()]);
}

Results Executor::operator()(vit::ConstantOp op) const {
  Tensor tensor(shapeOf(op.getResult()));
  llvm::copy(op.getValues().getValues<double>(), tensor.data.begin());
  return tensor;
}

Results Executor::operator()(vit::ReshapeOp op) const {
  return reshape(in[op.getInput()], shapeOf(op.getResult()));
}

Results Executor::operator()(vit::TransposeOp op) const {
  return transpose(in[op.getInput()], op.getOrder());
}

Results Executor::operator()(vit::ExpOp op) const {
  return exp(in[op.getInput()], op.getLimit().convertToDouble());
}

Results Executor::operator()(vit::InverseRootOp op) const {
  return inverseRoot(in[op.getInput()], op.getEps().convertToDouble());
}

Results Executor::operator()(vit::StandardizeOp op) const {
  return standardize(in[op.getWeight()], op.getEps().convertToDouble());
}

[[noreturn]] static Results notComputed(Operation *op) {
  llvm::report_fatal_error("the reference interpreter does not compute " +
                           op->getName().getStringRef());
}

// Blocks read parameters when an op needs them, and end in their terminator.
Results Executor::operator()(vit::ParameterOp op) const {
  return notComputed(op);
}

Results Executor::operator()(vit::GetOp op) const { return notComputed(op); }

Results Executor::operator()(vit::YieldOp op) const { return notComputed(op); }

Results reference::execute(Operation *op, const Values &values) {
  return vit::visit<Results>(op, Executor{Operands(values)});
}
