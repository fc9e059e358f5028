// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Conversion/Passes.h"
#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
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

static StringRef cTypeOf(Value buffer) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  return kernel::elementTypeInfo(type).cType;
}

/// The C++ expression for a placed buffer, in the words of runtime/engine.h:
/// `buffer<float>(run, 4096)`, `weight<float>(run, 128)`, `run.pixels`,
/// `output<float>(run, 0, 0)`.
static FailureOr<std::string> pointerTo(Value buffer, SymbolTable &symbols) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elements = kernel::elementRange(type).first;
  int64_t bytes = elements * kernel::elementBytes(type.getElementType());
  auto call = [&](StringRef function, const Twine &arguments) {
    return (function + "<" + cTypeOf(buffer) + ">(run, " + arguments + ")")
        .str();
  };
  Value root = kernel::rootBuffer(buffer);
  if (auto alloc = root.getDefiningOp<kernel::AllocOp>()) {
    if (!alloc.getOffset())
      return alloc.emitError(
                 "buffer has no place: run kernel-plan-workspace first"),
             failure();
    return call("buffer", Twine(*alloc.getOffset() + bytes));
  }
  if (auto weight = root.getDefiningOp<kernel::WeightOp>()) {
    auto constant = symbols.lookup<kernel::ConstantOp>(weight.getConstant());
    if (!constant.getOffset())
      return constant.emitError(
                 "constant has no place: run kernel-plan-weights first"),
             failure();
    return call("weight", Twine(*constant.getOffset() + bytes));
  }
  unsigned number = cast<BlockArgument>(root).getArgNumber();
  if (number > 0)
    return call("output", Twine(number - 1) + ", " + Twine(bytes));
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
      if (!isWanted(call) || !declared.insert(call.getSpec()).second)
        return;
      std::string text =
          ("void " + call.getSpec() + kernelSuffix + "(void *context").str();
      for (Value buffer : call.getInputs())
        text += (", const " + cTypeOf(buffer) + " *").str();
      for (Value buffer : call.getOutputs())
        text += (", " + cTypeOf(buffer) + " *").str();
      verbatim(text + ");");
    });
    verbatim("}\n\nnamespace " + cppNamespace + " {");

    SmallVector<Step> ofImage, ofBatch;
    for (auto [step, call] : llvm::enumerate(source.getOps<kernel::CallOp>()))
      if (isWanted(call))
        (call.getImages() ? ofBatch : ofImage).push_back({call, int64_t(step)});
    if (failed(emitFunction(vit::forwardName, ofImage, symbols, builder)) ||
        (!ofBatch.empty() &&
         failed(emitFunction(kernel::finishName, ofBatch, symbols, builder))))
      return signalPassFailure();
    verbatim("} // namespace " + cppNamespace);

    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!isa<emitc::EmitCDialect>(op.getDialect()))
        op.erase();
  }

  /// A call and its number among the model's steps, which are those of all
  /// levels.
  struct Step {
    kernel::CallOp call;
    int64_t number;
  };

  bool isWanted(kernel::CallOp call) {
    return level.empty() || kernel::runsAt(call, level);
  }

  /// A function of the calls.
  LogicalResult emitFunction(StringRef name, ArrayRef<Step> calls,
                             SymbolTable &symbols, OpBuilder &builder) {
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
    if (failed(emitCalls(calls, symbols, builder)))
      return failure();
    emitc::ReturnOp::create(builder, location, Value());
    return success();
  }

  /// One line a call, under the name of its layer. In a function for several
  /// images, calls of each image's own are in a loop over these.
  LogicalResult emitCalls(ArrayRef<Step> calls, SymbolTable &symbols,
                          OpBuilder &builder) {
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
    for (auto [call, step] : calls) {
      if (failed(emitBranch(before, call, line)))
        return failure();
      before = call;
      const bool isOwn = call.getImages() == 1;
      if (isOwn)
        line(call.getLoc(), "eachImage(run, [](const Invocation &run) {");
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
        auto type = cast<MemRefType>(buffer.getType());
        operands.push_back(
            literal(call.getLoc(), *text,
                    emitc::PointerType::get(type.getElementType())));
      }
      emitc::CallOpaqueOp::create(builder, call.getLoc(), TypeRange(),
                                  (call.getSpec() + kernelSuffix).str(),
                                  operands);
      emitc::CallOpaqueOp::create(
          builder, call.getLoc(), TypeRange(), "done",
          ValueRange{literal(call.getLoc(), "run", opaque),
                     literal(call.getLoc(), Twine(step), opaque)});
      if (isOwn)
        line(call.getLoc(), "});");
    }
    return emitBranch(before, /*call=*/{}, line);
  }

  /// What stands between two calls, of which either may be null: the start and
  /// the end of branches that run concurrently.
  LogicalResult emitBranch(kernel::CallOp before, kernel::CallOp call,
                           function_ref<void(Location, const Twine &)> line) {
    auto branchOf = [](kernel::CallOp op) {
      return op ? op.getBranch() : std::nullopt;
    };
    std::optional<int64_t> from = branchOf(before), to = branchOf(call);
    bool goesOn = call && kernel::continuesConcurrentRun(call);
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
      line(call.getLoc(), "runConcurrently(run, [](const Invocation &run) {");
    return success();
  }
};

} // namespace
