// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace vitc::kernel {
#define GEN_PASS_DEF_JOINROWSPASS
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace vitc::kernel

using namespace mlir;
using namespace vitc::kernel;

namespace {

/// Where the images of a batch stand.
struct Batch {
  int64_t images;
  int64_t workspaceFloats; ///< of one image

  /// Floats from an image's buffer to the next image's; none for a weight,
  /// which all images share, and the picture.
  std::optional<int64_t> strideOf(Value buffer) const {
    Value root = rootBuffer(buffer);
    if (root.getDefiningOp<AllocOp>())
      return workspaceFloats;
    auto argument = dyn_cast<BlockArgument>(root);
    if (argument && argument.getArgNumber() > 0)
      return cast<MemRefType>(argument.getType()).getNumElements();
    return std::nullopt;
  }
};

/// The field that counts a kernel's rows, and those with the row strides of its
/// first input, of its residual and of its output.
struct RowFields {
  StringRef rows, in, residual, out;
};

/// A kernel's config, to be changed.
class Config {
public:
  explicit Config(DictionaryAttr config) : fields(config) {}

  std::optional<int64_t> integer(StringRef name) const {
    auto attr = dyn_cast_or_null<IntegerAttr>(fields.get(name));
    return attr ? std::optional(attr.getInt()) : std::nullopt;
  }
  bool flag(StringRef name) const {
    auto attr = dyn_cast_or_null<BoolAttr>(fields.get(name));
    return attr && attr.getValue();
  }
  SmallVector<int64_t> list(StringRef name) const {
    auto attr = dyn_cast_or_null<DenseI64ArrayAttr>(fields.get(name));
    return attr ? llvm::to_vector(attr.asArrayRef()) : SmallVector<int64_t>();
  }
  void set(StringRef name, Attribute value) { fields.set(name, value); }
  DictionaryAttr get(MLIRContext *context) const {
    return fields.getDictionary(context);
  }

private:
  NamedAttrList fields;
};

} // namespace

/// Puts the images' rows in the place of one: a workspace apart in each buffer,
/// which must stand there. A row without padding would seem to get some.
static bool joinRows(Config &config, CallOp call, const RowFields &fields,
                     const Batch &batch) {
  Builder builder(call.getContext());
  auto isRow = [&](Value buffer, StringRef strideField) {
    constexpr int64_t lineFloats = alignment / int64_t(sizeof(float));
    return rootBuffer(buffer).getDefiningOp<AllocOp>() &&
           config.integer(strideField).value_or(1) % lineFloats == 0;
  };
  bool residual = !fields.residual.empty() && config.flag("residual");
  if (config.integer(fields.rows) != 1 || call.getOutputs().size() != 1 ||
      !isRow(call.getInputs().front(), fields.in) ||
      !isRow(call.getOutputs().front(), fields.out) ||
      (residual && !isRow(call.getInputs().back(), fields.residual)))
    return false;
  Attribute stride = builder.getI64IntegerAttr(batch.workspaceFloats);
  config.set(fields.rows, builder.getI64IntegerAttr(batch.images));
  config.set(fields.in, stride);
  config.set(fields.out, stride);
  if (residual)
    config.set(fields.residual, stride);
  return true;
}

/// A linear layer keeps the bits that its row has alone.
static bool joinGemm(Config &config, CallOp call, const Batch &batch) {
  if (config.flag("fast") || config.flag("pairs") ||
      config.flag("tensor_cores") ||
      !joinRows(config, call, {"m", "lda", "ldr", "ldc"}, batch))
    return false;
  config.set("lone_rows", BoolAttr::get(call.getContext(), true));
  return true;
}

/// A copy has four dimensions, of which the first is seldom needed.
static bool joinCopy(Config &config, CallOp call, const Batch &batch) {
  SmallVector<int64_t> shape = config.list("shape"),
                       from = config.list("src_strides"),
                       to = config.list("dst_strides");
  auto source = batch.strideOf(call.getInputs().front()),
       target = batch.strideOf(call.getOutputs().front());
  if (shape.empty() || shape.front() != 1 || !source || !target)
    return false;
  shape.front() = batch.images;
  from.front() = *source;
  to.front() = *target;
  Builder builder(call.getContext());
  config.set("shape", builder.getDenseI64ArrayAttr(shape));
  config.set("src_strides", builder.getDenseI64ArrayAttr(from));
  config.set("dst_strides", builder.getDenseI64ArrayAttr(to));
  return true;
}

/// The config of one call in the place of the images' own, if there is one.
static DictionaryAttr joined(CallOp call, SpecOp spec, const Batch &batch) {
  if (call.getBranch() || call.getInputs().empty())
    return {};
  Config config(spec.getConfig());
  StringRef family = spec.getFamily();
  bool can = false;
  if (family == "gemm")
    can = joinGemm(config, call, batch);
  else if (family == "copy")
    can = joinCopy(config, call, batch);
  else if (llvm::is_contained(
               {"norm", "softmax", "activation", "affine", "scale"}, family))
    can = joinRows(config, call, {"rows", "ldx", "", "ldy"}, batch);
  return can ? config.get(call.getContext()) : DictionaryAttr();
}

/// What a call for all images moves at least: the weights once, and all else
/// for each image.
static double bytesOf(CallOp call, int64_t images) {
  double bytes = 0;
  for (Value buffer : call.getOperands()) {
    double once = double(sizeof(float)) *
                  cast<MemRefType>(buffer.getType()).getNumElements();
    bool isWeight = bool(rootBuffer(buffer).getDefiningOp<WeightOp>());
    bytes += isWeight ? once : double(images) * once;
  }
  return bytes;
}

namespace {

struct JoinRowsPass : vitc::kernel::impl::JoinRowsPassBase<JoinRowsPass> {
  using JoinRowsPassBase::JoinRowsPassBase;

  void runOnOperation() override {
    if (images < 2)
      return;
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(join(function, symbols)))
        return signalPassFailure();
  }

  LogicalResult join(func::FuncOp function, SymbolTable &symbols) {
    auto bytes = function->getAttrOfType<IntegerAttr>(workspaceBytesAttrName);
    if (!bytes)
      return function.emitError("the workspace has no size: run "
                                "kernel-plan-workspace first");
    Batch batch = {images, bytes.getInt() / int64_t(sizeof(float))};
    // Kernels address floats with 32-bit numbers, and rows are whole lines.
    if (bytes.getInt() % alignment != 0 ||
        double(images) * double(batch.workspaceFloats) > INT32_MAX)
      return success();

    SmallVector<std::pair<CallOp, DictionaryAttr>> calls; // the last one first
    for (Operation &op : llvm::reverse(function.getBody().front())) {
      auto call = dyn_cast<CallOp>(op);
      if (!call)
        continue;
      auto spec = symbols.lookup<SpecOp>(call.getSpec());
      DictionaryAttr config = joined(call, spec, batch);
      if (!config)
        break;
      calls.push_back({call, config});
    }
    // Only a layer's weights are worth waiting for the other images.
    auto isLayer = [&](auto &entry) {
      return symbols.lookup<SpecOp>(entry.first.getSpec()).getFamily() ==
             "gemm";
    };
    while (!calls.empty() && !isLayer(calls.back()))
      calls.pop_back();
    for (auto [call, config] : calls)
      replaceSpec(call, config, symbols);
    joinedCalls += calls.size();
    return success();
  }

  void replaceSpec(CallOp call, DictionaryAttr config, SymbolTable &symbols) {
    auto spec = symbols.lookup<SpecOp>(call.getSpec());
    OpBuilder builder(spec);
    // The name without its last word, which is a hash.
    StringRef words = spec.getSymName().rsplit('_').first;
    std::string name =
        specName(words + "_x" + Twine(images), spec.getFamily(), config);
    if (!symbols.lookup(name))
      symbols.insert(SpecOp::create(
          builder, spec.getLoc(), builder.getStringAttr(name),
          spec.getFamilyAttr(), config,
          builder.getF64FloatAttr(double(images) *
                                  spec.getFlops().convertToDouble()),
          builder.getF64FloatAttr(bytesOf(call, images))));
    call.setSpec(name);
    call.setImages(images);
    if (SymbolTable::symbolKnownUseEmpty(spec, getOperation()))
      symbols.erase(spec);
  }
};

} // namespace
