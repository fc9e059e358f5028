// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verify.h"

#include "ModelFiles.h"
#include "StepCapture.h"
#include "terminal/Progress.h"
#include "terminal/Text.h"

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Reference/Interpreter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

/// How far a result is from the reference.
struct Difference {
  double maxError = 0; ///< infinite where only one of the two is finite
  double spread = 0;   ///< standard deviation of the reference
  double largest = 0;  ///< absolute value in the reference
  /// The error in units of the spread; the error itself if all values of the
  /// reference are equal.
  double relative() const { return spread > 0 ? maxError / spread : maxError; }
  /// Values that hardly differ from each other have no spread to speak of; a
  /// few units in the last place of the largest are rounding, not a mistake.
  bool passes() const {
    constexpr double roundingOfFloats = 1e-6;
    return relative() <= verifyBound || maxError <= roundingOfFloats * largest;
  }
};

struct OutputDifference {
  std::string name;
  std::vector<int64_t> shape;
  Difference difference;
};

/// The first layer where the library leaves the reference.
struct FirstLayer {
  std::string layer, kernel;
  Difference difference;
};

struct VerifyReport {
  std::string name, target;
  std::vector<OutputDifference> outputs;
  std::optional<FirstLayer> first;
  unsigned comparedLayers = 0;
  bool passes() const {
    return llvm::all_of(outputs, [](const OutputDifference &output) {
      return output.difference.passes();
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

static Difference compare(llvm::ArrayRef<float> got,
                          llvm::ArrayRef<double> want) {
  Difference difference;
  double sum = 0, count = double(want.size());
  for (auto [a, b] : llvm::zip(got, want)) {
    sum += b;
    double error = std::abs(a - b);
    bool bothNan = std::isnan(a) && std::isnan(b);
    if (std::isnan(error) && a != b && !bothNan)
      error = std::numeric_limits<double>::infinity();
    if (error > difference.maxError)
      difference.maxError = error;
    if (std::abs(b) > difference.largest)
      difference.largest = std::abs(b);
  }
  double mean = sum / count, squares = 0;
  for (double b : want)
    squares += (b - mean) * (b - mean);
  difference.spread = std::sqrt(squares / count);
  return difference;
}

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

llvm::Error Verification::openAll() {
  auto opened = Library::open(options.folder);
  if (!opened)
    return opened.takeError();
  library = std::move(*opened);
  const Manifest &manifest = library->getManifest();
  report.name = manifest.name;
  report.target = manifest.target;

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

llvm::Error Verification::compareOutputs() {
  auto model = import();
  if (!model)
    return model.takeError();
  OutputBuffers buffers(library->getModel());
  if (llvm::Error error = session->runTensor(pixels, buffers))
    return error;
  unsigned done = 0, total = countLayers(*model->module);
  std::vector<Tensor> wanted =
      interpret(*model->module, *source.checkpoint, image,
                [&](StringRef, const Tensor &) {
                  showLayer("computing the reference", ++done, total);
                });
  progress.clear();
  if (wanted.size() != library->outputs().size())
    return userError(options.folder,
                     "has " + llvm::Twine(library->outputs().size()) +
                         " outputs, while the model gives " +
                         llvm::Twine(wanted.size()) + "; compile it again");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const vitc_output_v2 &output = library->outputs()[i];
    if (buffers[i].size() != wanted[i].data.size())
      return userError(options.folder, "output " + llvm::Twine(output.name) +
                                           " has another shape than the "
                                           "model's; compile it again");
    report.outputs.push_back(
        {output.name,
         std::vector<int64_t>(output.shape, output.shape + output.rank),
         compare(buffers[i], wanted[i].data)});
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
  for (const Stage &stage : stages()) {
    mlir::PassManager manager(&context);
    stage.populate(manager, pipeline);
    if (mlir::failed(manager.run(module)))
      return llvm::createStringError("stage " + stage.name + " failed\n" +
                                     diagnostics);
    if (stage.name == "fuse")
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
              Difference difference = compare(*got, value.data);
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

static void printReport(const VerifyReport &report) {
  llvm::raw_ostream &os = out();
  os << report.name << " for " << report.target
     << " against the reference interpreter\n";
  using Align = Table::Align;
  Table table({{"output", Align::Left},
               {"shape", Align::Left},
               {"max error", Align::Right},
               {"spread", Align::Right},
               {"error/spread", Align::Right},
               {"", Align::Left}});
  for (const OutputDifference &output : report.outputs)
    table.add({output.name, formatShape(output.shape),
               formatShort(output.difference.maxError),
               formatShort(output.difference.spread),
               formatShort(output.difference.relative()),
               output.difference.passes() ? "pass" : "FAIL"});
  table.print(os, /*indent=*/2);
}

static void writeDifference(llvm::json::OStream &json,
                            const Difference &difference) {
  jsonNumber(json, "max_error", difference.maxError);
  jsonNumber(json, "spread", difference.spread);
  jsonNumber(json, "relative_error", difference.relative());
}

static void printReportJson(const VerifyReport &report) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", report.name);
    json.attribute("target", report.target);
    json.attribute("bound", verifyBound);
    json.attribute("pass", report.passes());
    json.attributeArray("outputs", [&] {
      for (const OutputDifference &output : report.outputs)
        json.object([&] {
          json.attribute("name", output.name);
          jsonShape(json, "shape", output.shape);
          writeDifference(json, output.difference);
          json.attribute("pass", output.difference.passes());
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
    if (!output.difference.passes())
      names.push_back(output.name);
  std::string text = "the library differs from the reference by more than " +
                     formatShort(verifyBound) + " of the spread in " +
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
