// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Driver/Compile.h"

#include "DeviceCode.h"
#include "LibraryBuild.h"
#include "Manifest.h"
#include "Staging.h"
#include "TunedSchedules.h"

#include "vitc/Dialect/ViT/IR/Flops.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Driver/Targets.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Support/File.h"
#include "vitc/Target/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

#include <chrono>

using namespace mlir;
using namespace vitc;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// A C identifier out of the model's name, or the one given if it is one.
static llvm::Expected<std::string> identifierFor(const CompileOptions &options,
                                                 StringRef modelName) {
  auto isIdentifier = [](StringRef text) {
    return !text.empty() && !llvm::isDigit(text[0]) &&
           llvm::all_of(text,
                        [](char c) { return llvm::isAlnum(c) || c == '_'; });
  };
  if (!options.name.empty()) {
    if (!isIdentifier(options.name))
      return userError("--name " + options.name +
                       " is not a C identifier (letters, digits and _, not "
                       "starting with a digit)");
    return options.name;
  }
  std::string name;
  for (char c : modelName)
    name += llvm::isAlnum(c) ? c : '_';
  return isIdentifier(name) ? name : "model_" + name;
}

static llvm::Error checkOptions(const CompileOptions &options) {
  auto isOneOf = [](StringRef option, StringRef value,
                    ArrayRef<StringRef> known) -> llvm::Error {
    if (llvm::is_contained(known, value))
      return llvm::Error::success();
    return userError(option + " " + value + ": known are " +
                     llvm::join(known, ", "));
  };
  if (options.batch < 1 || options.batch > 1024)
    return userError("--batch " + Twine(options.batch) +
                     " is not between 1 and 1024");
  if (llvm::Error error = isOneOf("--precision", options.precision, {"f32"}))
    return error;
  if (llvm::Error error =
          isOneOf("--backend", options.backend, {"halide", "tvm", "auto"}))
    return error;
  for (const std::string &rewrite : options.disabledRewrites)
    if (llvm::Error error = isOneOf("--disable-rewrite", rewrite,
                                    SmallVector<StringRef>(rewriteNames())))
      return error;
  if (!options.untilAfter.empty()) {
    std::vector<StringRef> names = {"import"};
    for (const Stage &stage : stages())
      names.push_back(stage.name);
    return isOneOf("--until-after", options.untilAfter, names);
  }
  return isOneOf("--emit", options.emit,
                 {"library", "source", "mlir", "kernels"});
}

/// The program of the backend called "halide" or "tvm"; they stand together.
static std::string backendProgram(const Installation &installation,
                                  StringRef backend) {
  return joinPath(llvm::sys::path::parent_path(installation.backendProgram),
                  "vitc-" + backend.str());
}

/// TVM is optional: a vitc that was built without it says how to get it.
static llvm::Error requireTvm(const Twine &option,
                              const Installation &installation) {
  std::string program = backendProgram(installation, "tvm");
  if (llvm::sys::fs::exists(program))
    return llvm::Error::success();
  return userError(option + ": there is no " + program +
                   ", since vitc was built without TVM; tools/setup --tests "
                   "installs it, then build vitc again");
}

static llvm::Error checkTensorCores(const Target &target,
                                    const Installation &installation) {
  const std::string option = "--tensor-cores";
  if (target.device != "cuda")
    return userError(option + ": --target " + target.name +
                     " has none; those called cuda-… have");
  if (llvm::Error error = requireTvm(option, installation))
    return error;
  if (findDeviceCompiler(target).empty())
    return userError(option +
                     ": nvcc was not found as $NVCC, or without that in the "
                     "PATH, $CUDA_HOME/bin or /usr/local/cuda/bin");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Kernel specs
//===----------------------------------------------------------------------===//

static llvm::json::Value toJson(Attribute attribute) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    return value.getValue();
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return value.getInt();
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return value.getValueAsDouble();
  if (auto value = dyn_cast<StringAttr>(attribute))
    return value.getValue();
  return llvm::json::Array(cast<DenseI64ArrayAttr>(attribute).asArrayRef());
}

/// Whether a kernel is for tensor cores, which are TVM's alone.
static bool usesTensorCores(kernel::SpecOp spec) {
  return spec.getConfig().contains("tensor_cores");
}

/// Every kernel for every level that has kernels of its own, with symbols that
/// tell the levels apart.
static std::vector<KernelRequest>
kernelRequests(ModuleOp module, const CompileOptions &options,
               const Target &target, const LibraryDescription &library) {
  std::vector<KernelRequest> requests;
  for (const Level &level : target.levels) {
    if (!llvm::is_contained(kernelLevels(library), level.name))
      continue;
    for (auto spec : module.getOps<kernel::SpecOp>()) {
      std::string name =
          spec.getSymName().str() + kernelSuffix(library, level.name);
      llvm::json::Object config;
      for (NamedAttribute field : spec.getConfig())
        config[field.getName().str()] = toJson(field.getValue());
      std::string backend =
          options.backend == "auto" ? "halide" : options.backend;
      if (usesTensorCores(spec))
        backend = "tvm";
      llvm::json::Object document{{"protocol", 1},
                                  {"name", name},
                                  {"target", level.backend},
                                  {"family", spec.getFamily()},
                                  {"spec", std::move(config)}};
      requests.push_back(
          {name,
           llvm::formatv("{0}", llvm::json::Value(std::move(document))).str(),
           backend});
    }
  }
  return requests;
}

//===----------------------------------------------------------------------===//
// The way of a model
//===----------------------------------------------------------------------===//

namespace {

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
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics)
          << diagnostic.getLocation() << ": " << diagnostic << "\n";
    });
  }

  llvm::Expected<CompileReport> run();
  llvm::Expected<std::vector<PlannedKernel>> plan();

private:
  llvm::Error import();
  bool pairsProducts() const;
  llvm::Error lower();
  llvm::Error emit();
  LibraryDescription describe();
  llvm::Error emitLibrary(Staging &staging);
  llvm::Expected<std::vector<CompiledKernel>>
  compileKernels(ArrayRef<KernelRequest> requests);
  llvm::Error useRecords(const TunedSchedules &tuned,
                         std::vector<KernelRequest> &requests,
                         std::vector<CompiledKernel> &kernels,
                         std::vector<const tune::Record *> &records);
  std::map<std::string, std::string> backendPrograms() const;
  void progress(StringRef stage, unsigned done, unsigned total) {
    if (progressCallback)
      progressCallback(stage, done, total);
  }
  void show(StringRef stage);

  const CompileOptions &options;
  const Installation &installation;
  const ProgressCallback &progressCallback;
  MLIRContext context;
  std::string diagnostics;
  Target target;
  Toolchain toolchain; ///< once a library is built
  ModelSource source;
  ImportedModel model;
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

llvm::Error Compilation::import() {
  llvm::Expected<ModelSource> opened =
      openModel(options.model, options.configPath, options.seed,
                installation.modelsFolder);
  if (!opened)
    return opened.takeError();
  source = std::move(*opened);
  llvm::Expected<std::string> name = identifierFor(options, source.name);
  if (!name)
    return name.takeError();
  report.name = *name;
  llvm::Expected<ImportedModel> imported = importModel(
      &context, source, {/*batch=*/1, options.imageSize, options.outputs});
  if (!imported)
    return imported.takeError();
  model = std::move(*imported);
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

/// TVM has no kernels for paired products.
bool Compilation::pairsProducts() const {
  return options.backend != "tvm" && target.gainsByPairs(options.fastMatmul);
}

llvm::Error Compilation::lower() {
  auto function = model.module->lookupSymbol<func::FuncOp>(vit::forwardName);
  auto image =
      cast<RankedTensorType>(function.getArgument(0).getType()).getShape();
  function->setAttr(kernel::scratchBytesAttrName,
                    Builder(&context).getI64IntegerAttr(
                        preprocessScratchBytes(image[1], image[2], image[3])));
  PipelineOptions pipeline;
  pipeline.disabledRewrites = options.disabledRewrites;
  pipeline.panel = target.panel;
  pipeline.fastMatmul = options.fastMatmul;
  pipeline.pairs = pairsProducts();
  pipeline.tensorCores = options.tensorCores;
  if (target.device.empty()) // a device's queue takes image after image
    pipeline.images = options.batch;
  for (const Stage &stage : stages()) {
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

std::map<std::string, std::string> Compilation::backendPrograms() const {
  std::map<std::string, std::string> programs;
  for (const char *backend : {"halide", "tvm"})
    programs[backend] = backendProgram(installation, backend);
  return programs;
}

llvm::Expected<std::vector<CompiledKernel>>
Compilation::compileKernels(ArrayRef<KernelRequest> requests) {
  KernelCompilerOptions compiler;
  compiler.programs = backendPrograms();
  compiler.cacheFolder = installation.cacheFolder;
  if (!options.toolchain.cxx.empty() || !target.architecture->isHost())
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

/// Puts tuned kernels in the place of default ones where records say that they
/// are faster; `records` says where. A record may be older than its kernel, or
/// than the backend's parameters: that is no reason to fail.
llvm::Error
Compilation::useRecords(const TunedSchedules &tuned,
                        std::vector<KernelRequest> &requests,
                        std::vector<CompiledKernel> &kernels,
                        std::vector<const tune::Record *> &records) {
  const std::vector<KernelRequest> standard = requests;
  records.assign(requests.size(), nullptr);
  std::vector<std::vector<const tune::Record *>> better;
  size_t most = 0;
  for (const KernelRequest &request : standard) {
    better.push_back(tuned.findBetter(request));
    most = std::max(most, better.back().size());
  }
  unsigned outdated = 0; // of the database's; the others are not the user's
  std::string database;
  // The best record of each kernel; then the next best where that was of no
  // use.
  for (size_t place = 0; place < most; ++place) {
    std::vector<size_t> which;
    std::vector<KernelRequest> recorded;
    for (size_t i = 0; i < standard.size(); ++i)
      if (!records[i] && place < better[i].size()) {
        which.push_back(i);
        recorded.push_back(
            TunedSchedules::apply(*better[i][place], standard[i]));
      }
    llvm::Expected<std::vector<CompiledKernel>> compiled =
        compileKernels(recorded);
    if (!compiled) {
      report.warnings.push_back("default schedules are used, because a tuned "
                                "one does not fit any more: " +
                                llvm::toString(compiled.takeError()));
      continue;
    }
    for (auto [i, request, kernel] : llvm::zip(which, recorded, *compiled)) {
      const tune::Record *record = better[i][place];
      llvm::Expected<bool> current =
          TunedSchedules::isCurrent(*record, kernel, kernels[i]);
      if (!current)
        return current.takeError();
      if (!*current) {
        if (!StringRef(record->place).starts_with(installation.recordsFolder)) {
          ++outdated;
          database = record->place;
        }
        continue;
      }
      records[i] = record;
      requests[i] = std::move(request);
      kernels[i] = std::move(kernel);
    }
  }
  if (outdated)
    report.warnings.push_back(
        database + ": " + std::to_string(outdated) +
        (outdated == 1 ? " record was" : " records were") +
        " measured with other code than the kernels have now; `vitc tune` "
        "measures again");
  report.tunedKernels =
      records.size() - llvm::count(records, static_cast<void *>(nullptr));
  return llvm::Error::success();
}

/// Seven combinations of quarters stand where four quarters would.
static int64_t strassenExtraBytes(ModuleOp module) {
  int64_t bytes = 0;
  for (auto constant : module.getOps<kernel::ConstantOp>())
    if (constant.getLayout() == kernel::Layout::Strassen)
      bytes += kernel::reservedBytes(constant.getBufferType()) /
               kernel::strassenProducts * (kernel::strassenProducts - 4);
  return bytes;
}

LibraryDescription Compilation::describe() {
  LibraryDescription library = describeLibrary(*model.module, options.batch);
  for (const Level &level : target.levels)
    library.variants.push_back(
        {level.name.str(), level.cpu.str(), level.floatKernels.str()});
  return library;
}

llvm::Error Compilation::emitLibrary(Staging &staging) {
  llvm::Expected<Toolchain> found =
      findToolchain(*target.architecture, options.toolchain);
  if (!found)
    return found.takeError();
  toolchain = std::move(*found);
  LibraryDescription library = describe();
  std::vector<KernelRequest> requests =
      kernelRequests(*model.module, options, target, library);
  llvm::Expected<TunedSchedules> tuned =
      TunedSchedules::open(options, installation, backendPrograms());
  if (!tuned)
    return tuned.takeError();
  llvm::Expected<std::vector<CompiledKernel>> kernels =
      compileKernels(requests);
  if (!kernels)
    return kernels.takeError();
  std::vector<const tune::Record *> records;
  if (llvm::Error error = useRecords(*tuned, requests, *kernels, records))
    return error;
  report.kernels = kernels->size();
  report.tensorCoreKernels =
      llvm::count_if(model.module->getOps<kernel::SpecOp>(), usesTensorCores);
  report.cachedKernels = llvm::count_if(
      *kernels, [](const CompiledKernel &kernel) { return kernel.cached; });
  if (!target.device.empty()) {
    DeviceCodeSummary device = summariseDeviceCode(*kernels, target);
    report.deviceCode = device.text;
    llvm::append_range(report.warnings, device.warnings);
  }
  if (options.emit == "kernels") {
    for (auto [request, kernel] : llvm::zip(requests, *kernels)) {
      if (llvm::Error error =
              staging.write("kernels/" + kernel.name + ".spec.json",
                            request.specification + "\n"))
        return error;
      if (llvm::Error error =
              staging.write("kernels/" + kernel.name + ".cpp", kernel.adapter))
        return error;
      if (llvm::Error error = staging.write(
              "kernels/" + kernel.name + ".json",
              llvm::formatv("{0:2}\n", llvm::json::Value(
                                           llvm::json::Object(kernel.report)))
                  .str()))
        return error;
      if (std::error_code code = llvm::sys::fs::copy_file(
              kernel.objectPath, staging.path("kernels/" + kernel.name + ".o")))
        return userError(kernel.objectPath,
                         "cannot be copied: " + code.message());
    }
    return llvm::Error::success();
  }

  library.name = report.name;
  library.model = source.name;
  library.target = target.name;
  library.device = target.device.str();
  library.deviceLevel = target.deviceLevel;
  library.processor = model.processor;
  library.embedWeights = options.embedWeights;
  library.flops = report.flops;

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
  llvm::Expected<WeightsFile> weights =
      writeWeights(*model.module, *source.checkpoint, program, weightsPath,
                   [&](unsigned done, unsigned total) {
                     progress("packing weights", done, total);
                   });
  if (!weights)
    return weights.takeError();
  library.weightsIdentity = weights->identity;
  report.fastMatmulErrors = weights->strassenErrors;

  llvm::Expected<std::string> manifest =
      makeManifest({options, source, model, library, requests, *kernels,
                    records, report.parameters, pairsProducts()});
  if (!manifest)
    return manifest.takeError();
  const std::string &id = library.name;
  std::vector<std::pair<std::string, std::string>> files = {
      {"include/" + id + ".h", emitHeader(library)},
      {"share/" + id + "/manifest.json", *manifest},
      {"lib/cmake/" + id + "/" + id + "Config.cmake", emitCMakeConfig(library)},
      {"lib/pkgconfig/" + id + ".pc", emitPkgConfig(library)},
      {"example/main.cpp", emitExample(library)},
      {"example/CMakeLists.txt", emitExampleCMake(library)}};
  if (const Architecture &foreign = *target.architecture; !foreign.isHost())
    files.push_back(
        {"example/toolchain.cmake",
         emitToolchainFile(foreign.triple, foreign.name, foreign.emulator)});
  for (auto &[name, text] : files)
    if (llvm::Error error = staging.write(name, text))
      return error;

  std::vector<std::pair<std::string, std::string>> forwards;
  for (const std::string &level : kernelLevels(library)) {
    llvm::Expected<std::string> forward =
        emitForward(*model.module, library, level);
    if (!forward)
      return forward.takeError();
    forwards.push_back({"forward_" + level + ".cpp", *forward});
  }
  if (llvm::Error error = buildLibrary(
          staging, library, {emitApi(library), forwards, *kernels, weightsPath},
          toolchain, options, installation, [&](unsigned done, unsigned total) {
            progress("building the library", done, total);
          }))
    return error;

  report.workspaceBytes = library.workspaceBytes;
  report.weightsBytes = library.weightsBytes;
  report.fastMatmulBytes = strassenExtraBytes(*model.module);
  report.pairedProducts = llvm::any_of(
      model.module->getOps<kernel::ConstantOp>(), [](kernel::ConstantOp op) {
        return op.getLayout() == kernel::Layout::Pairs;
      });
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
  if (options.backend == "tvm")
    if (llvm::Error error = requireTvm("--backend tvm", installation))
      return error;
  llvm::Expected<Target> found = findTarget(options.target);
  if (!found)
    return found.takeError();
  target = std::move(*found);
  if (!target.device.empty() && options.fastMatmul)
    return userError("--fast-matmul: there is none for --target " +
                     target.name);
  if (!target.device.empty() && options.backend == "tvm")
    return userError("--backend tvm: it lacks kernels for --target " +
                     target.name);
  if (options.tensorCores)
    if (llvm::Error error = checkTensorCores(target, installation))
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
    for (const OutputDescription &output :
         describeLibrary(*model.module, options.batch).outputs) {
      std::string shape;
      llvm::raw_string_ostream os(shape);
      llvm::interleaveComma(output.shape, os);
      report.outputs.push_back(output.name + " [" + shape + "]");
    }
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
  for (const KernelRequest &request :
       kernelRequests(*model.module, options, target, library)) {
    llvm::json::Value document =
        llvm::cantFail(llvm::json::parse(request.specification));
    llvm::json::Object &fields = *document.getAsObject();
    PlannedKernel kernel;
    kernel.name = request.name;
    kernel.family = fields.getString("family")->str();
    kernel.target = fields.getString("target")->str();
    kernel.library = target.name;
    kernel.spec = std::move(*fields.getObject("spec"));
    for (const StepDescription &step : library.steps)
      if (StringRef(kernel.name).starts_with(step.kernel)) {
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
