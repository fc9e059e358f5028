// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Driver/Compile.h"

#include "CompileChecks.h"
#include "DeviceCode.h"
#include "KernelRequests.h"
#include "LibraryBuild.h"
#include "LibraryFiles.h"
#include "LibraryName.h"
#include "Manifest.h"
#include "RecordedKernels.h"
#include "Report.h"
#include "Staging.h"
#include "TargetAttribute.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Target/Weights.h"
#include "vitc/TargetInfo/Targets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"

#include <chrono>

using namespace mlir;
using namespace vitc;

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

namespace {

/// Adds the seconds of its life to a report.
class Stopwatch {
public:
  Stopwatch(CompileReport &report, StringRef part)
      : report(report), part(part), start(Clock::now()) {}
  ~Stopwatch() {
    std::chrono::duration<double> seconds = Clock::now() - start;
    report.timings.push_back({part.str(), seconds.count()});
  }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  CompileReport &report;
  StringRef part;
  Clock::time_point start;
};

/// One compile, step by step.
class Compilation {
public:
  Compilation(const CompileOptions &options, const Installation &installation,
              const ProgressCallback &progress)
      : options(options), installation(installation),
        progressCallback(progress) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    // Parallel passes gain nothing on one function, and one thread keeps the
    // output of --print-ir in order.
    context.disableMultithreading();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { handle(diagnostic); });
  }

  llvm::Expected<CompileReport> run();
  llvm::Expected<std::vector<PlannedKernel>> plan();

private:
  llvm::Error import();
  llvm::Error lower();
  llvm::Error emit();
  LibraryDescription describe();
  llvm::Error emitLibrary(Staging &staging);
  llvm::Error writeLibrary(Staging &staging, LibraryDescription &library,
                           const KernelSet &kernels);
  llvm::Expected<std::vector<CompiledKernel>>
  compileKernels(ArrayRef<KernelRequest> requests);
  llvm::Expected<KernelSet> makeKernels(const LibraryDescription &library,
                                        const TunedSchedules &tuned);
  void progress(StringRef stage, unsigned done, unsigned total) {
    if (progressCallback)
      progressCallback(stage, done, total);
  }
  void show(StringRef stage);
  void handle(Diagnostic &diagnostic);

  const CompileOptions &options;
  const Installation &installation;
  const ProgressCallback &progressCallback;
  MLIRContext context;
  std::string diagnostics;
  Target target;
  Toolchain toolchain;        ///< once a library is built
  std::optional<Cache> cache; ///< likewise
  ModelSource source;
  ImportedModel model;
  std::vector<OutputForm> forms; ///< of the outputs
  CompileReport report;
};

} // namespace

void Compilation::show(StringRef stage) {
  OpPrintingFlags flags;
  if (options.printIr) {
    llvm::errs() << "// After " << stage << "\n";
    model.module->print(llvm::errs(), flags);
    llvm::errs() << "\n";
  }
  if (options.untilAfter == stage) {
    model.module->print(llvm::outs(), flags);
    llvm::outs() << "\n";
  }
}

/// Remarks are for the user, who asked for them; the rest is part of an error's
/// message.
void Compilation::handle(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    std::string text;
    llvm::raw_string_ostream(text)
        << vit::layerName(diagnostic.getLocation()) << ": " << diagnostic;
    report.remarks.push_back(std::move(text));
    return;
  }
  llvm::raw_string_ostream(diagnostics)
      << diagnostic.getLocation() << ": " << diagnostic << "\n";
}

llvm::Error Compilation::import() {
  Stopwatch watch(report, "import");
  llvm::Expected<ModelSource> opened =
      openModel(options.model, options.configPath, options.seed,
                installation.modelsFolder);
  if (!opened)
    return opened.takeError();
  source = std::move(*opened);
  llvm::Expected<std::string> name =
      chooseLibraryName(options.name, source.name);
  if (!name)
    return name.takeError();
  report.name = *name;
  llvm::Expected<ImportedModel> imported = importModel(
      &context, source, {/*batch=*/1, options.imageSize, options.outputs});
  if (!imported)
    return imported.takeError();
  model = std::move(*imported);
  forms = outputForms(*model.module);
  report.parameters = countParameters(*model.module);
  report.flops = double(options.batch) * vit::countFlops(*model.module);
  report.warnings = model.warnings;
  show("import");
  return llvm::Error::success();
}

/// What the runtime's preprocessing needs: preprocessScratchBytes in
/// runtime/preprocess.h. The generated code asserts that it is enough.
static int64_t preprocessScratchBytes(int64_t channels, int64_t height,
                                      int64_t width) {
  return llvm::alignTo(
             4 * channels * height * width + channels * width + 8 * width, 64) +
         256 * 1024;
}

llvm::Error Compilation::lower() {
  auto function = model.module->lookupSymbol<func::FuncOp>(vit::forwardName);
  auto image =
      cast<RankedTensorType>(function.getArgument(0).getType()).getShape();
  function->setAttr(kernel::scratchBytesAttrName,
                    Builder(&context).getI64IntegerAttr(
                        preprocessScratchBytes(image[1], image[2], image[3])));
  (*model.module)
      ->setAttr(kernel::targetAttrName,
                targetAttribute(&context, target, options));
  (*model.module)
      ->setAttr(vit::precisionAttrName,
                StringAttr::get(&context, options.precision));
  PipelineOptions pipeline;
  pipeline.disabledRewrites = options.disabledRewrites;
  pipeline.remarks = options.remarks;
  if (target.device.empty()) // a device's queue takes image after image
    pipeline.images = options.batch;
  for (const Stage &stage : stages()) {
    Stopwatch watch(report, stage.name);
    PassManager manager(&context);
    stage.populate(manager, pipeline);
    if (failed(manager.run(*model.module)))
      return llvm::createStringError("stage " + stage.name + " failed\n" +
                                     diagnostics);
    if (stage.name == "fuse")
      report.computedFlops =
          double(options.batch) * vit::countFlops(*model.module);
    show(stage.name);
    if (options.untilAfter == stage.name)
      break;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<CompiledKernel>>
Compilation::compileKernels(ArrayRef<KernelRequest> requests) {
  KernelCompilerOptions compiler;
  compiler.programs = backendPrograms(installation.backendFolder);
  compiler.cache = &*cache;
  compiler.timeoutSeconds = options.kernelTimeout;
  if (!options.toolchain.cxx.empty() || !isHost(*target.architecture))
    compiler.cxx = toolchain.compiler;
  compiler.ptxas = findDeviceAssembler(target);
  if (options.tensorCores)
    compiler.nvcc = findDeviceCompiler(target);
  compiler.jobs =
      options.threads
          ? options.threads
          : llvm::heavyweight_hardware_concurrency().compute_thread_count();
  compiler.progress = [&](unsigned done, unsigned total) {
    progress("compiling kernels", done, total);
  };
  return vitc::compileKernels(requests, compiler);
}

LibraryDescription Compilation::describe() {
  LibraryDescription library =
      describeLibrary(*model.module, options.batch, forms);
  for (const Level &level : target.levels)
    library.variants.push_back(
        {std::string(level.name), runtimeFeatures(level),
         std::string(kernelsFor(target, level, options).name)});
  return library;
}

llvm::Expected<KernelSet>
Compilation::makeKernels(const LibraryDescription &library,
                         const TunedSchedules &tuned) {
  Stopwatch watch(report, "compiling kernels");
  KernelSet kernels;
  kernels.requests = kernelRequests(*model.module, options, target, library);
  llvm::Expected<std::vector<CompiledKernel>> standard =
      compileKernels(kernels.requests);
  if (!standard)
    return standard.takeError();
  kernels.kernels = std::move(*standard);
  if (llvm::Error error = useRecords(
          kernels, tuned, installation.recordsFolder,
          [&](ArrayRef<KernelRequest> requests) {
            return compileKernels(requests);
          },
          report.warnings))
    return error;
  return kernels;
}

llvm::Error Compilation::emitLibrary(Staging &staging) {
  llvm::Expected<Toolchain> found =
      findToolchain(*target.architecture, options.toolchain);
  if (!found)
    return found.takeError();
  toolchain = std::move(*found);
  LibraryDescription library = describe();
  llvm::Expected<TunedSchedules> tuned = TunedSchedules::open(
      options, installation, backendPrograms(installation.backendFolder));
  if (!tuned)
    return tuned.takeError();
  llvm::append_range(report.warnings, tuned->warnings);
  llvm::Expected<Cache> opened = Cache::open(installation.cacheFolder);
  if (!opened)
    return opened.takeError();
  cache = std::move(*opened);
  llvm::Expected<KernelSet> kernels = makeKernels(library, *tuned);
  if (!kernels)
    return kernels.takeError();
  reportKernels(report, *kernels, *model.module, target);
  if (llvm::Error error = options.emit == "kernels"
                              ? writeKernels(staging, *kernels)
                              : writeLibrary(staging, library, *kernels))
    return error;
  if (std::string damage = cache->describeDamage(); !damage.empty())
    report.warnings.push_back(damage);
  return llvm::Error::success();
}

llvm::Error Compilation::writeLibrary(Staging &staging,
                                      LibraryDescription &library,
                                      const KernelSet &kernels) {
  library.name = report.name;
  library.model = source.name;
  library.target = target.name;
  library.device = target.device.str();
  library.deviceLevel = target.deviceLevel;
  library.processor = model.processor;
  // Classes that the model only counts have no names.
  if (!llvm::all_of(model.labels, [](auto &label) { return label.empty(); }))
    library.labels = model.labels;
  library.embedWeights = options.embedWeights;
  library.flops = report.flops;
  if (llvm::Error error = checkNames(library))
    return error;

  // Two libraries can share a weights file only if they agree on every kernel
  // and every offset.
  std::string program = library.target + "\n";
  llvm::raw_string_ostream os(program);
  model.module->print(os);
  std::string weightsName = library.name + ".weights";
  std::string weightsPath =
      !options.embedWeights
          ? staging.path("share/" + library.name + "/" + weightsName)
      : options.emit == "source" ? staging.path("src/" + weightsName)
                                 : staging.scratch(weightsName);
  auto packWeights = [&] {
    Stopwatch watch(report, "packing weights");
    return writeWeights(*model.module, *source.checkpoint, program, weightsPath,
                        [&](unsigned done, unsigned total) {
                          progress("packing weights", done, total);
                        });
  };
  llvm::Expected<WeightsFile> weights = packWeights();
  if (!weights)
    return weights.takeError();
  library.weightsIdentity = weights->identity;
  report.strassenErrors = weights->strassenErrors;

  Stopwatch watch(report, "building the library");
  std::vector<std::pair<std::string, std::string>> forwards;
  for (const std::string &level : kernelLevels(library)) {
    llvm::Expected<std::string> forward =
        emitForward(*model.module, library, level);
    if (!forward)
      return forward.takeError();
    forwards.push_back({"forward_" + level + ".cpp", *forward});
  }
  // Once everything is known that they say.
  auto describe = [&](StackBytes &stack) -> llvm::Expected<std::string> {
    llvm::Expected<std::string> manifest = makeManifest(
        {options, source, model, library, kernels.requests, kernels.kernels,
         kernels.records, report.parameters,
         kernel::targetOf(*model.module).offers(kernel::Algorithm::Winograd),
         stack});
    if (!manifest)
      return manifest.takeError();
    if (llvm::Error error =
            writeLibraryFiles(staging, library, target, *manifest))
      return error;
    return emitApi(library);
  };
  if (llvm::Error error = buildLibrary(
          staging, library, {forwards, kernels.kernels, weightsPath}, describe,
          toolchain, options, installation, *cache,
          [&](unsigned done, unsigned total) {
            progress("building the library", done, total);
          }))
    return error;
  reportLibrary(report, *model.module, library);
  return llvm::Error::success();
}

llvm::Error Compilation::emit() {
  llvm::Expected<Staging> staging = Staging::create(options.output);
  if (!staging)
    return staging.takeError();
  llvm::Error error = [&]() -> llvm::Error {
    if (options.emit != "mlir")
      return emitLibrary(*staging);
    std::string text;
    llvm::raw_string_ostream os(text);
    model.module->print(os);
    return staging->write(report.name + ".mlir", text + "\n");
  }();
  if (error)
    return staging->explain(std::move(error));
  return staging->commit();
}

llvm::Expected<CompileReport> Compilation::run() {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = checkOptions(options))
    return error;
  llvm::Expected<Target> found = findTarget(options.target);
  if (!found)
    return found.takeError();
  target = std::move(*found);
  if (llvm::Error error = checkTarget(options, target, installation))
    return error;
  report.target = target.name;
  // Before any work: a folder that is in the way should be heard of at once.
  if (options.untilAfter.empty())
    if (llvm::Expected<Staging> staging = Staging::create(options.output);
        !staging)
      return staging.takeError();
  if (llvm::Error error = import())
    return error;
  if (options.untilAfter == "import")
    return report;
  if (llvm::Error error = lower())
    return error;
  if (options.untilAfter.empty()) {
    reportOutputs(report, describe());
    if (llvm::Error error = emit())
      return error;
  }
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return report;
}

llvm::Expected<std::vector<PlannedKernel>> Compilation::plan() {
  if (llvm::Error error = checkOptions(options))
    return error;
  llvm::Expected<Target> found = findTarget(options.target);
  if (!found)
    return found.takeError();
  target = std::move(*found);
  if (llvm::Error error = import())
    return error;
  if (llvm::Error error = lower())
    return error;
  LibraryDescription library = describe();
  std::vector<PlannedKernel> kernels;
  for (KernelRequest &request :
       kernelRequests(*model.module, options, target, library)) {
    PlannedKernel kernel;
    kernel.name = std::move(request.name);
    kernel.family = std::move(request.family);
    kernel.target = std::move(request.target);
    kernel.library = target.name;
    kernel.spec = std::move(request.spec);
    for (const StepDescription &step : library.steps)
      if (isCallOf(step, kernel.name, library)) {
        ++kernel.calls;
        kernel.flops = step.flops;
      }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

llvm::Expected<std::vector<PlannedKernel>>
vitc::planKernels(const CompileOptions &options,
                  const Installation &installation) {
  return Compilation(options, installation, nullptr).plan();
}

llvm::Expected<CompileReport>
vitc::compileModel(const CompileOptions &options,
                   const Installation &installation,
                   const ProgressCallback &progress) {
  return Compilation(options, installation, progress).run();
}
