// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace vitc::kernel {
#define GEN_PASS_DEF_BATCHTAILPASS
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace vitc::kernel

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;

namespace {

/// Images that are computed at once.
struct Group {
  int64_t images;
  int64_t workspaceFloats; ///< of one image
};

} // namespace

/// The specification of a kernel that takes a row of every image in the place
/// of one: a workspace apart in each buffer, which must stand there. A row
/// without padding would seem to get some.
static SpecInterface batchRows(CallOp call, RowwiseInterface spec,
                               const Group &group) {
  auto isRow = [&](const families::Argument &argument, Value buffer) {
    return rootBuffer(buffer).getDefiningOp<AllocOp>() &&
           argument.dimensions.front().stride % families::lineElements == 0;
  };
  if (spec.getRowCount() != 1)
    return {};
  for (auto [argument, buffer] :
       llvm::zip(cast<SpecInterface>(spec).getArguments(), call->getOperands()))
    if (argument.isRows && !isRow(argument, buffer))
      return {};
  return dyn_cast_or_null<SpecInterface>(
      spec.withRows(group.images, group.workspaceFloats));
}

/// Rows of `images` images that a library computes at once: a divisor of the
/// batch. A run with fewer images than the batch computes the rows that are
/// missing in its last group, too, so that groups are small: up to 8, which is
/// enough to read the weights seldom. In ViT-S, on one core with AVX-512, rows
/// of 8 images take 1.1 ms, one row alone 0.43, and an image 55.
static int64_t groupOf(int64_t batch) {
  constexpr int64_t fewest = 4, most = 8;
  int64_t best = batch;
  for (int64_t images = most; images >= fewest; --images)
    if (batch % images == 0)
      return images;
  // Then more than 8 rather than fewer than 4: 9 of 9, 11 of 22.
  for (int64_t images = batch; images > most; --images)
    if (batch % images == 0)
      best = images;
  return best;
}

/// The specification of one call in the place of the images' own, if there is
/// one.
static SpecInterface batched(CallOp call, SpecInterface spec,
                             const Group &group) {
  auto rowwise = dyn_cast<RowwiseInterface>(spec);
  return rowwise ? batchRows(call, rowwise, group) : SpecInterface();
}

/// Copies stay each image's own: an output has no room for images that a run
/// was not given. They can still come after batched calls, unless they need the
/// image itself, which may be overwritten by then.
static bool staysOwn(CallOp call, SpecInterface spec) {
  return isa<CopySpecAttr>(spec) &&
         llvm::none_of(call.getInputs(), [](Value buffer) {
           auto argument = dyn_cast<BlockArgument>(rootBuffer(buffer));
           return argument && argument.getArgNumber() == 0;
         });
}

/// What a call for several images moves at least: the weights once, and all
/// else for each image.
static double bytesOf(CallOp call, int64_t images) {
  double bytes = 0;
  for (Value buffer : call.getOperands()) {
    auto type = cast<MemRefType>(buffer.getType());
    double once =
        double(elementBytes(type.getElementType()) * type.getNumElements());
    bool isWeight = bool(rootBuffer(buffer).getDefiningOp<WeightOp>());
    bytes += isWeight ? once : double(images) * once;
  }
  return bytes;
}

namespace {

struct BatchTailPass : vitc::kernel::impl::BatchTailPassBase<BatchTailPass> {
  using BatchTailPassBase::BatchTailPassBase;

  void runOnOperation() override {
    if (images < 2)
      return;
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(batchTail(function, symbols)))
        return signalPassFailure();
  }

  LogicalResult batchTail(func::FuncOp function, SymbolTable &symbols) {
    auto bytes = function->getAttrOfType<IntegerAttr>(workspaceBytesAttrName);
    if (!bytes)
      return function.emitError("the workspace has no size: run "
                                "kernel-plan-workspace first");
    Group group = {groupOf(images), bytes.getInt() / int64_t(sizeof(float))};
    // Kernels address floats with 32-bit numbers, and rows are whole lines.
    if (bytes.getInt() % alignment != 0 ||
        double(group.images) * double(group.workspaceFloats) > INT32_MAX)
      return success();

    // The last one first; no config for those that stay each image's own.
    SmallVector<std::pair<CallOp, SpecInterface>> calls;
    for (Operation &op : llvm::reverse(function.getBody().front())) {
      auto call = dyn_cast<CallOp>(op);
      if (!call)
        continue;
      SpecInterface spec = symbols.lookup<SpecOp>(call.getSpec()).getConfig();
      bool isPart =
          call.getBranch() || call.getLevels() || call.getInputs().empty();
      SpecInterface config =
          isPart ? SpecInterface() : batched(call, spec, group);
      if (!config && (isPart || !staysOwn(call, spec)))
        break;
      calls.push_back({call, config});
    }
    // Only a layer's weights are worth waiting for the other images.
    auto isLayer = [&](auto &entry) {
      return isa_and_present<GemmSpecAttr>(entry.second);
    };
    while (!calls.empty() && !isLayer(calls.back()))
      calls.pop_back();
    for (auto [call, config] : calls) {
      if (!config) {
        call.setImages(1);
        continue;
      }
      replaceSpec(call, config, group.images, symbols);
      ++batchedCalls;
    }
    return success();
  }

  void replaceSpec(CallOp call, SpecInterface config, int64_t together,
                   SymbolTable &symbols) {
    auto spec = symbols.lookup<SpecOp>(call.getSpec());
    OpBuilder builder(spec);
    std::string words = (spec.getWords() + "_x" + Twine(together)).str(),
                name = specName(words, config);
    if (!symbols.lookup(name))
      symbols.insert(SpecOp::create(
          builder, spec.getLoc(), builder.getStringAttr(name), config,
          builder.getStringAttr(words),
          builder.getF64FloatAttr(double(together) *
                                  spec.getFlops().convertToDouble()),
          builder.getF64FloatAttr(bytesOf(call, together))));
    call.setSpec(name);
    call.setImages(together);
    if (SymbolTable::symbolKnownUseEmpty(spec, getOperation()))
      symbols.erase(spec);
  }
};

} // namespace
