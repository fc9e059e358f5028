// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verify.h"

#include "Difference.h"
#include "ModelFiles.h"
#include "StepCapture.h"
#include "terminal/Progress.h"
#include "terminal/Text.h"

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Reference/Interpreter.h"
#include "vitc/TargetInfo/Targets.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

struct OutputDifference {
  std::string name;
  std::vector<int64_t> shape;
  Difference difference;
  /// To the model as it was published, where the library has fewer bits.
  std::optional<Difference> loss;

  /// Where a model makes much of little, as cosine attention does, numbers that
  /// fell to another side cost as much as the bits themselves: half of that
  /// passes. A kernel that is wrong is as far from its own program as from the
  /// model.
  bool passes() const {
    constexpr double shareOfLoss = 0.5;
    return difference.passes() ||
           (loss &&
            difference.rmsBySpread() <= shareOfLoss * loss->rmsBySpread());
  }
};

/// The first layer where the library leaves the reference.
struct FirstLayer {
  std::string layer, kernel;
  Difference difference;
};

struct VerifyReport {
  std::string name, target, precision;
  Bound bound;
  std::vector<OutputDifference> outputs;
  std::optional<FirstLayer> first;
  unsigned comparedLayers = 0;
  bool passes() const {
    return llvm::all_of(outputs, [](const OutputDifference &output) {
      return output.passes();
    });
  }
};

/// One comparison, step by step.
class Verification {
public:
  Verification(const VerifyOptions &options, const Installation &installation)
      : options(options), installation(installation),
        progress(options.quiet || options.json) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &message) {
      llvm::raw_string_ostream(diagnostics) << message << "\n";
    });
  }

  llvm::Expected<VerifyReport> run();

private:
  llvm::Error openAll();
  llvm::Expected<ImportedModel> import();
  /// Interprets a model on the noise.
  llvm::Expected<std::vector<Tensor>> interpretModel(ImportedModel &model,
                                                     StringRef stage);
  llvm::Error compareOutputs();
  /// Interprets the model as it is after fusion, where its layers are those of
  /// the library, and compares them one by one.
  llvm::Error findFirstLayer();
  llvm::Error fuse(mlir::ModuleOp module);
  /// An observer that counts layers for the progress.
  void showLayer(StringRef stage, unsigned done, unsigned total) {
    progress.show(stage, std::min(done, total), total);
  }

  const VerifyOptions &options;
  const Installation &installation;
  Progress progress;
  mlir::MLIRContext context;
  std::string diagnostics;
  std::unique_ptr<Library> library;
  std::unique_ptr<Context> session;
  ModelSource source;
  std::vector<float> pixels;
  Tensor image;
  VerifyReport report;
};

} // namespace

/// Operations of `forward` that compute something: what an observer will see.
static std::vector<mlir::Operation *> observedOps(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> ops;
  auto forward = module.lookupSymbol(vit::forwardName);
  for (mlir::Operation &op : forward->getRegion(0).front())
    if (!mlir::isa<vit::GetOp>(op) && op.getNumResults() > 0)
      ops.push_back(&op);
  return ops;
}

static unsigned countLayers(mlir::ModuleOp module) {
  return std::max<unsigned>(1, observedOps(module).size());
}

/// Whether a level's 8-bit rows have 7 bits.
static bool hasSevenBitRows(StringRef name) {
  constexpr int mostOfEightBits = 255;
  return llvm::any_of(targetinfo::levels, [&](const Level *level) {
    return name == StringRef(level->name) &&
           level->mostByte() < mostOfEightBits;
  });
}

llvm::Error Verification::openAll() {
  auto opened = Library::open(options.folder);
  if (!opened)
    return opened.takeError();
  library = std::move(*opened);
  const Manifest &manifest = library->getManifest();
  report.name = manifest.name;
  report.target = manifest.target;
  report.precision = manifest.precision;
  report.bound = verifyBound(manifest.precision);

  std::string model = options.model;
  if (model.empty() && manifest.seed)
    model = manifest.source;
  std::string folder = shellWord(options.folder);
  if (model.empty())
    return userError("vitc verify " + folder +
                     " needs the model too, since it was not compiled from "
                     "random weights: vitc verify " +
                     folder + " MODEL (it was compiled from " +
                     manifest.source + ")");
  auto found = openModel(model, options.configPath, manifest.seed,
                         installation.modelsFolder);
  if (!found)
    return found.takeError();
  source = std::move(*found);
  auto warnings = checkModelFiles(source, manifest);
  if (!warnings)
    return warnings.takeError();
  for (const std::string &warning : *warnings)
    printWarning(warning);

  auto created = library->createContext(options.threads);
  if (!created)
    return created.takeError();
  session = std::move(*created);
  if (report.bound.isMean && hasSevenBitRows(session->level()))
    report.bound.value *= 2; // so are their steps
  pixels = makeNoise(library->tensorElements());
  const vitc_model_v2 &table = library->getModel();
  image = Tensor({table.batch, table.channels, table.height, table.width});
  llvm::copy(pixels, image.data.begin());
  return llvm::Error::success();
}

llvm::Expected<ImportedModel> Verification::import() {
  const Manifest &manifest = library->getManifest();
  ImportOptions import;
  import.batch = manifest.batch;
  import.imageSize = manifest.imageSize;
  import.outputs = manifest.outputs;
  // Random weights are made for the outputs of one import.
  if (source.seed)
    source.checkpoint.reset();
  return importModel(&context, source, import);
}

llvm::Expected<std::vector<Tensor>>
Verification::interpretModel(ImportedModel &model, StringRef stage) {
  unsigned done = 0, total = countLayers(*model.module);
  std::vector<Tensor> outputs = interpret(
      *model.module, *source.checkpoint, image,
      [&](StringRef, const Tensor &) { showLayer(stage, ++done, total); });
  progress.clear();
  if (outputs.size() != library->outputs().size())
    return userError(options.folder,
                     "has " + llvm::Twine(library->outputs().size()) +
                         " outputs, while the model gives " +
                         llvm::Twine(outputs.size()) + "; compile it again");
  return outputs;
}

llvm::Error Verification::compareOutputs() {
  auto model = import();
  if (!model)
    return model.takeError();
  OutputBuffers buffers(library->getModel());
  if (llvm::Error error = session->runTensor(pixels, buffers))
    return error;
  auto published = interpretModel(*model, "computing the reference");
  if (!published)
    return published.takeError();
  // What was compiled is the truth for the library; what was published is the
  // truth for the bits that it saves.
  std::vector<Tensor> wanted = *published;
  const bool isNarrow = report.precision != "f32";
  if (isNarrow) {
    auto again = import();
    if (!again)
      return again.takeError();
    if (llvm::Error error = fuse(*again->module))
      return error;
    auto compiled =
        interpretModel(*again, "computing the reference with fewer bits");
    if (!compiled)
      return compiled.takeError();
    wanted = std::move(*compiled);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const vitc_output_v2 &output = library->outputs()[i];
    if (buffers[i].size() != wanted[i].data.size())
      return userError(options.folder, "output " + llvm::Twine(output.name) +
                                           " has another shape than the "
                                           "model's; compile it again");
    report.outputs.push_back(
        {output.name,
         std::vector<int64_t>(output.shape, output.shape + output.rank),
         compare(buffers[i], wanted[i].data, wanted[i].dim(-1), report.bound),
         std::nullopt});
    if (isNarrow)
      report.outputs.back().loss =
          compare(buffers[i], (*published)[i].data, wanted[i].dim(-1),
                  {std::numeric_limits<double>::infinity()});
  }
  return llvm::Error::success();
}

llvm::Error Verification::fuse(mlir::ModuleOp module) {
  PipelineOptions pipeline;
  pipeline.disabledRewrites = library->getManifest().disabledRewrites;
  // Of the target the stages up to fusion ask this alone.
  auto algorithm = library->getManifest().winograd ? kernel::Algorithm::Winograd
                                                   : kernel::Algorithm::Plain;
  module->setAttr(kernel::targetAttrName,
                  kernel::TargetAttr::get(
                      &context, /*panel=*/1,
                      kernel::LevelAttr::get(&context, "any", algorithm)));
  module->setAttr(vit::precisionAttrName,
                  mlir::StringAttr::get(&context, report.precision));
  if (hasSevenBitRows(session->level()))
    module->setAttr(vit::sevenBitsAttrName, mlir::UnitAttr::get(&context));
  for (const Stage &stage : stages()) {
    mlir::PassManager manager(&context);
    stage.populate(manager, pipeline);
    if (mlir::failed(manager.run(module)))
      return llvm::createStringError("stage " + stage.name + " failed\n" +
                                     diagnostics);
    if (stage.name == "precision")
      break;
  }
  return llvm::Error::success();
}

llvm::Error Verification::findFirstLayer() {
  auto model = import();
  if (!model)
    return model.takeError();
  if (llvm::Error error = fuse(*model->module))
    return error;
  // A layer's name may be on several operations, as on the pool of the only
  // token that it is asked for; its result is the last one's.
  llvm::StringMap<unsigned> left;
  for (mlir::Operation *op : observedOps(*model->module))
    left[vit::layerName(op->getLoc())] += op->getNumResults();
  StepCapture capture(*library, *session, pixels);
  if (llvm::Error error = capture.start())
    return error;
  llvm::Error failure = llvm::Error::success();
  unsigned done = 0, total = countLayers(*model->module);
  interpret(*model->module, *source.checkpoint, image,
            [&](StringRef layer, const Tensor &value) {
              showLayer("comparing layers", ++done, total);
              // After the first one, the rest is only its consequence.
              if (report.first || failure || --left[layer] > 0)
                return;
              int step = capture.findStep(layer, value.rows(), value.dim(-1));
              if (step < 0)
                return;
              auto got = capture.get(step);
              if (!got) {
                failure = got.takeError();
                return;
              }
              ++report.comparedLayers;
              Difference difference =
                  compare(*got, value.data, value.dim(-1), report.bound);
              if (!difference.passes())
                report.first = {layer.str(), library->steps()[step].kernel,
                                difference};
            });
  progress.clear();
  return failure;
}

llvm::Expected<VerifyReport> Verification::run() {
  if (llvm::Error error = openAll())
    return error;
  if (llvm::Error error = compareOutputs())
    return error;
  if (!report.passes())
    if (llvm::Error error = findFirstLayer())
      return error;
  return std::move(report);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

Bound vitc::tool::verifyBound(StringRef precision) {
  return llvm::StringSwitch<Bound>(precision)
      .Case("int8", {0.03, /*isMean=*/true})
      .Case("bf16", {0.01, /*isMean=*/true})
      .Default({1e-4});
}

static void printReport(const VerifyReport &report) {
  llvm::raw_ostream &os = out();
  os << report.name << " for " << report.target
     << " against the reference interpreter";
  if (report.precision != "f32")
    os << " of the " << report.precision << " program";
  os << "\n";
  using Align = Table::Align;
  Table table({{"output", Align::Left},
               {"shape", Align::Left},
               {"max error", Align::Right},
               {"spread", Align::Right},
               {report.bound.isMean ? "rms error/spread" : "error/spread",
                Align::Right},
               {"", Align::Left}});
  for (const OutputDifference &output : report.outputs)
    table.add({output.name, formatShape(output.shape),
               formatShort(output.difference.maxError),
               formatShort(output.difference.spread),
               formatShort(report.bound.isMean ? output.difference.rmsBySpread()
                                               : output.difference.relative()),
               output.passes() ? "pass" : "FAIL"});
  table.print(os, /*indent=*/2);
  if (report.precision == "f32")
    return;
  os << "what " << report.precision
     << " costs, against the model as published, on noise\n";
  Table costs({{"output", Align::Left},
               {"rms error/spread", Align::Right},
               {"max error/spread", Align::Right},
               {"cosine", Align::Right},
               {"same largest", Align::Right}});
  for (const OutputDifference &output : report.outputs)
    costs.add({output.name, formatShort(output.loss->rmsBySpread()),
               formatShort(output.loss->relative()),
               llvm::formatv("{0:f5}", output.loss->cosine).str(),
               llvm::formatv("{0:f1}%", 100 * output.loss->agreement).str()});
  costs.print(os, /*indent=*/2);
}

static void writeDifference(llvm::json::OStream &json,
                            const Difference &difference) {
  jsonNumber(json, "max_error", difference.maxError);
  jsonNumber(json, "spread", difference.spread);
  jsonNumber(json, "relative_error", difference.relative());
  jsonNumber(json, "rms_relative_error", difference.rmsBySpread());
}

static void printReportJson(const VerifyReport &report) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", report.name);
    json.attribute("target", report.target);
    json.attribute("precision", report.precision);
    json.attribute("bound", report.bound.value);
    json.attribute("bound_of", report.bound.isMean ? "rms_relative_error"
                                                   : "relative_error");
    json.attribute("pass", report.passes());
    json.attributeArray("outputs", [&] {
      for (const OutputDifference &output : report.outputs)
        json.object([&] {
          json.attribute("name", output.name);
          jsonShape(json, "shape", output.shape);
          writeDifference(json, output.difference);
          json.attribute("pass", output.passes());
          if (output.loss)
            json.attributeObject("loss", [&] {
              writeDifference(json, *output.loss);
              jsonNumber(json, "rms_error", output.loss->rmsError);
              jsonNumber(json, "cosine", output.loss->cosine);
              jsonNumber(json, "top1_agreement", output.loss->agreement);
            });
        });
    });
    if (report.first)
      json.attributeObject("first_layer", [&] {
        jsonText(json, "layer", report.first->layer);
        json.attribute("kernel", report.first->kernel);
        writeDifference(json, report.first->difference);
      });
    else
      json.attribute("first_layer", nullptr);
  });
  llvm::outs() << "\n";
}

/// The message of a comparison that failed.
static std::string failureMessage(const VerifyReport &report) {
  std::vector<std::string> names;
  for (const OutputDifference &output : report.outputs)
    if (!output.passes())
      names.push_back(output.name);
  std::string text =
      "the library differs from the reference by more than " +
      formatShort(report.bound.value) + " of the spread" +
      (report.bound.isMean ? ", in the root mean square, in " : " in ") +
      llvm::join(names, ", ");
  if (report.first)
    return text + "; the first layer that does is " +
           terminalText(report.first->layer) + " (kernel " +
           report.first->kernel + "): error " +
           formatShort(report.first->difference.maxError) + ", spread " +
           formatShort(report.first->difference.spread);
  return text + "; the " + std::to_string(report.comparedLayers) +
         " layers before the outputs agree, so the last ones are at fault";
}

llvm::Error vitc::tool::verifyAndReport(const VerifyOptions &options,
                                        const Installation &installation) {
  auto report = Verification(options, installation).run();
  if (!report)
    return report.takeError();
  if (options.json)
    printReportJson(*report);
  else if (!options.quiet)
    printReport(*report);
  return report->passes() ? llvm::Error::success()
                          : userError(failureMessage(*report));
}
