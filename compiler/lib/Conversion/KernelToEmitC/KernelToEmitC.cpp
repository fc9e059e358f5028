// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Conversion/Passes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Support/Escape.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace vitc {
#define GEN_PASS_DEF_CONVERTKERNELTOEMITCPASS
#include "vitc/Conversion/Passes.h.inc"
} // namespace vitc

using namespace mlir;
using namespace vitc;

/// The C++ expression for a placed buffer, in the words of runtime/engine.h:
/// `buffer(run, 4096)`, `weight(run, 128)`, `run.pixels`, `output(run, 0, 0)`.
static FailureOr<std::string> pointerTo(Value buffer, SymbolTable &symbols) {
  int64_t elements =
      kernel::elementRange(cast<MemRefType>(buffer.getType())).first;
  int64_t bytes = elements * int64_t(sizeof(float));
  Value root = kernel::rootBuffer(buffer);
  if (auto alloc = root.getDefiningOp<kernel::AllocOp>()) {
    if (!alloc.getOffset())
      return alloc.emitError(
                 "buffer has no place: run kernel-plan-workspace first"),
             failure();
    return ("buffer(run, " + Twine(*alloc.getOffset() + bytes) + ")").str();
  }
  if (auto weight = root.getDefiningOp<kernel::WeightOp>()) {
    auto constant = symbols.lookup<kernel::ConstantOp>(weight.getConstant());
    if (!constant.getOffset())
      return constant.emitError(
                 "constant has no place: run kernel-plan-weights first"),
             failure();
    return ("weight(run, " + Twine(*constant.getOffset() + bytes) + ")").str();
  }
  unsigned number = cast<BlockArgument>(root).getArgNumber();
  if (number > 0)
    return ("output(run, " + Twine(number - 1) + ", " + Twine(elements) + ")")
        .str();
  return elements ? ("run.pixels + " + Twine(elements)).str()
                  : std::string("run.pixels");
}

namespace {

struct ConvertKernelToEmitCPass
    : vitc::impl::ConvertKernelToEmitCPassBase<ConvertKernelToEmitCPass> {
  using ConvertKernelToEmitCPassBase::ConvertKernelToEmitCPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto source = symbols.lookup<func::FuncOp>(vit::forwardName);
    if (!source) {
      module.emitError("no function named ") << vit::forwardName;
      return signalPassFailure();
    }
    OpBuilder builder(module.getBodyRegion());
    Location location = source.getLoc();
    auto verbatim = [&](const Twine &text) {
      emitc::VerbatimOp::create(builder, location, builder.getStringAttr(text));
    };
    emitc::IncludeOp::create(builder, location, "vitc/runtime/engine.h");

    verbatim("\nextern \"C\" {");
    llvm::StringSet<> declared;
    source.walk([&](kernel::CallOp call) {
      if (!declared.insert(call.getSpec()).second)
        return;
      std::string text =
          ("void " + call.getSpec() + kernelSuffix + "(void *context").str();
      for (size_t i = 0; i < call.getInputs().size(); ++i)
        text += ", const float *";
      for (size_t i = 0; i < call.getOutputs().size(); ++i)
        text += ", float *";
      verbatim(text + ");");
    });
    verbatim("}\n\nnamespace " + cppNamespace + " {");

    SmallVector<kernel::CallOp> ofImage, ofBatch;
    for (auto call : source.getOps<kernel::CallOp>())
      (call.getImages() ? ofBatch : ofImage).push_back(call);
    if (failed(emitFunction(vit::forwardName, ofImage, 0, symbols, builder)) ||
        (!ofBatch.empty() &&
         failed(emitFunction(kernel::finishName, ofBatch, ofImage.size(),
                             symbols, builder))))
      return signalPassFailure();
    verbatim("} // namespace " + cppNamespace);

    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!isa<emitc::EmitCDialect>(op.getDialect()))
        op.erase();
  }

  /// A function of the calls, which are the model's steps from `step` on.
  LogicalResult emitFunction(StringRef name, ArrayRef<kernel::CallOp> calls,
                             int64_t step, SymbolTable &symbols,
                             OpBuilder &builder) {
    Location location = builder.getUnknownLoc();
    auto runType =
        emitc::OpaqueType::get(&getContext(), "const vitc::rt::Invocation &");
    auto function =
        emitc::FuncOp::create(builder, location, name,
                              FunctionType::get(&getContext(), {runType}, {}));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(function.addEntryBlock());
    emitc::VerbatimOp::create(builder, location,
                              builder.getStringAttr("const auto &run = {};"),
                              ValueRange{function.getArgument(0)});
    emitc::VerbatimOp::create(
        builder, location, builder.getStringAttr("using namespace vitc::rt;"));
    if (failed(emitCalls(calls, step, symbols, builder)))
      return failure();
    emitc::ReturnOp::create(builder, location, Value());
    return success();
  }

  /// One line a call, under the name of its layer.
  LogicalResult emitCalls(ArrayRef<kernel::CallOp> calls, int64_t step,
                          SymbolTable &symbols, OpBuilder &builder) {
    Type pointer = emitc::PointerType::get(builder.getF32Type());
    Type opaque = emitc::OpaqueType::get(&getContext(), "auto");
    auto literal = [&](Location location, const Twine &text,
                       Type type) -> Value {
      return emitc::LiteralOp::create(builder, location, type,
                                      builder.getStringAttr(text));
    };
    auto line = [&](Location location, const Twine &text) {
      emitc::VerbatimOp::create(builder, location, builder.getStringAttr(text));
    };
    std::string layer;
    kernel::CallOp before;
    for (kernel::CallOp call : calls) {
      if (failed(emitBranch(before, call, line)))
        return failure();
      before = call;
      if (std::string name = vit::layerName(call.getLoc()); name != layer) {
        layer = name;
        line(call.getLoc(), "// " + commentText(layer));
      }
      SmallVector<Value> operands = {
          literal(call.getLoc(), "run.threads", opaque)};
      for (Value buffer : call.getOperands()) {
        FailureOr<std::string> text = pointerTo(buffer, symbols);
        if (failed(text))
          return failure();
        operands.push_back(literal(call.getLoc(), *text, pointer));
      }
      emitc::CallOpaqueOp::create(builder, call.getLoc(), TypeRange(),
                                  (call.getSpec() + kernelSuffix).str(),
                                  operands);
      emitc::CallOpaqueOp::create(
          builder, call.getLoc(), TypeRange(), "done",
          ValueRange{literal(call.getLoc(), "run", opaque),
                     literal(call.getLoc(), Twine(step++), opaque)});
    }
    return emitBranch(before, /*call=*/{}, line);
  }

  /// What stands between two calls, of which either may be null: the start and
  /// the end of branches that run side by side.
  LogicalResult emitBranch(kernel::CallOp before, kernel::CallOp call,
                           function_ref<void(Location, const Twine &)> line) {
    auto branchOf = [](kernel::CallOp op) {
      return op ? op.getBranch() : std::nullopt;
    };
    std::optional<int64_t> from = branchOf(before), to = branchOf(call);
    bool goesOn = call && kernel::goesOnSideBySide(call);
    if (goesOn) {
      if (from.value_or(-1) != to.value_or(-1)) // both have one
        line(call.getLoc(), "}, [](const Invocation &run) {");
      return success();
    }
    if (from == 0)
      return before.emitError("nothing runs beside this branch");
    if (from)
      line(before.getLoc(), "});");
    if (to)
      line(call.getLoc(), "sideBySide(run, [](const Invocation &run) {");
    return success();
  }
};

} // namespace
