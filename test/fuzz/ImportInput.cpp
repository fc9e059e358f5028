// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ImportInput.h"

#include "vitc/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace vitc;
using namespace vitc::fuzz;

mlir::MLIRContext &vitc::fuzz::importContext() {
  constexpr unsigned importsEach = 500;
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned imports = 0;
  if (imports++ % importsEach == 0) {
    context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context->appendDialectRegistry(registry);
    context->loadAllAvailableDialects();
  }
  return *context;
}

namespace {

/// A checkpoint of another's, without its floating-point values. Indices, which
/// frontends compare with their own, are there.
class Tensors : public Checkpoint {
public:
  explicit Tensors(const Checkpoint &source) : source(source) {}
  llvm::ArrayRef<TensorInfo> tensors() const override {
    return source.tensors();
  }
  void read(const TensorInfo &, int64_t,
            llvm::MutableArrayRef<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0f);
  }
  void read(const TensorInfo &, int64_t,
            llvm::MutableArrayRef<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  void read(const TensorInfo &tensor, int64_t first,
            llvm::MutableArrayRef<int64_t> out) const override {
    source.read(tensor, first, out);
  }
  std::string describe() const override { return source.describe(); }

private:
  const Checkpoint &source;
};

} // namespace

/// The tensors of a golden model; null if there is none of that name.
static std::unique_ptr<Checkpoint> tensorsOf(const std::string &name) {
  static std::map<std::string, std::unique_ptr<Checkpoint>> opened;
  auto [entry, isNew] = opened.try_emplace(name);
  if (isNew && !name.empty() && !llvm::StringRef(name).contains('/') &&
      name[0] != '.') {
    auto checkpoint = openCheckpoint(VITC_GOLDEN "/" + name);
    if (isValue(checkpoint))
      entry->second = std::move(*checkpoint);
  }
  return entry->second ? std::make_unique<Tensors>(*entry->second) : nullptr;
}

static std::string printed(const llvm::json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

/// What the command line would let through.
static ImportOptions optionsOf(const JsonObject &input) {
  ImportOptions options;
  auto extent = [](int64_t value) {
    return std::clamp<int64_t>(value, 1, 65536);
  };
  if (input.has("image_size"))
    if (auto size = input.getPair("image_size"); isValue(size))
      options.imageSize = {extent(size->first), extent(size->second)};
  if (input.has("outputs"))
    if (auto outputs = input.getStrings("outputs"); isValue(outputs))
      options.outputs = *outputs;
  return options;
}

std::optional<ImportedModel> vitc::fuzz::importInput(const std::string &text,
                                                     mlir::MLIRContext &context,
                                                     bool &isInput) {
  isInput = false;
  auto input = parseJson("input.json", text);
  if (!isValue(input))
    return std::nullopt;
  const llvm::json::Value *config = input->get("config");
  if (!config || !config->getAsObject())
    return std::nullopt;
  auto weights = input->getString("weights", "");
  if (!isValue(weights))
    return std::nullopt;
  isInput = true;

  static MemoryFile processor;
  ModelSource source;
  source.name = "input";
  auto read = parseJson("config.json", printed(*config));
  if (!isValue(read))
    return std::nullopt;
  source.config = std::move(*read);
  if (const llvm::json::Value *file = input->get("processor"))
    source.processorPath = processor.write(printed(*file));
  source.checkpoint = tensorsOf(*weights);
  if (!source.checkpoint)
    source.seed = 1;

  auto model = importModel(&context, source, optionsOf(*input));
  if (!isValue(model))
    return std::nullopt;
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &said) {
    complaint += said.str() + "\n";
  });
  if (mlir::failed(mlir::verify(*model->module)))
    fault("the imported model does not verify: " + complaint);
  return std::move(*model);
}
