// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc compile`: from a published model to the folder that a product links.
#include "Commands.h"
#include "library/Verify.h"
#include "model/ModelOptions.h"
#include "terminal/Options.h"
#include "terminal/Progress.h"
#include "terminal/Text.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Pipelines/Pipelines.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

struct CompileSettings {
  CompileOptions compile;
  std::vector<std::string> targets;
  bool verify = false, quiet = false, timing = false;
};

} // namespace

static std::vector<StringRef> stageNames() {
  std::vector<StringRef> names = {"import"};
  for (const Stage &stage : stages())
    names.push_back(stage.name);
  return names;
}

static void declareModelOptions(Options &options, CompileSettings &settings) {
  CompileOptions &compile = settings.compile;
  options.argument(
      "MODEL", compile.model,
      "a folder with config.json and weights, a weights file (with "
      "--config), or a name from `vitc models` (with "
      "--random-weights)");
  options.text("out,o", "OUT", compile.output,
               "the folder to write; it must not exist yet");
  declareImportOptions(options, compile);
  options.integer(
      "batch", "N", 1, 1024, [&](int64_t n) { compile.batch = n; },
      "images in one run (default 1)");
}

static void declareCodeOptions(Options &options, CompileSettings &settings) {
  CompileOptions &compile = settings.compile;
  options.text("name", "ID", compile.name,
               "prefix of every function and file (default: from MODEL)");
  options.texts("target", "T", settings.targets,
                "the processor, see `vitc targets` (default: host); several of "
                "one architecture share a library, which takes what the "
                "processor has");
  options.choice("precision", compile.precision, vit::precisionWords(), {},
                 "of linear layers: float32; bfloat16 operands; weights stored "
                 "as float16; or 8-bit weights and activations. Fewer bits are "
                 "smaller and faster, and less exact");
  options.choice("backend", compile.backend, backendChoices(), {},
                 "what schedules and compiles the kernels; auto takes, kernel "
                 "by kernel, what is known to be faster");
  options.choice("emit", compile.emit, {"library", "source", "mlir", "kernels"},
                 {},
                 "what to write: the library; the library and the C++ it was "
                 "made of; the IR; the kernels' specifications and objects");
  options.flag("embed-weights", compile.embedWeights,
               "put the weights into the library instead of a file beside it");
  options.flag("fast-matmul", compile.fastMatmul,
               "one level of Strassen's algorithm for the large linear layers: "
               "faster, but less exact, and their weights take 1.75 times the "
               "memory (2.75 where some levels of the target compute them "
               "otherwise)");
  options.flag("tensor-cores", compile.tensorCores,
               "compute the linear layers on an NVIDIA GPU's tensor cores, "
               "with operands rounded to half precision: less exact");
  options.text("cxx", "CXX", compile.toolchain.cxx,
               "the C++ compiler (default: $CXX, c++, g++ or clang++; for "
               "another architecture the distribution's cross compiler, e.g. "
               "aarch64-linux-gnu-g++)");
  options.text("sysroot", "DIR", compile.toolchain.sysroot,
               "headers and libraries of the machine that is compiled for "
               "(default: the compiler's own)");
  options.integer(
      "threads", "N", 0, 1024,
      [&](int64_t n) { compile.threads = unsigned(n); },
      "kernels compiled at a time (default: one per core)");
  options.integer(
      "kernel-timeout", "SECONDS", 1, 86400,
      [&](int64_t n) { compile.kernelTimeout = unsigned(n); },
      "give up if one kernel takes longer (default 300)");
  options.text("tune-db", "DB", compile.tuneDatabase,
               "a database of `vitc tune`, whose schedules are used where they "
               "fit this CPU");
  options.flag("ignore-records", compile.ignoreRecords,
               "leave out the tuned schedules that come with vitc");
}

static void declareCheckOptions(Options &options, CompileSettings &settings) {
  CompileOptions &compile = settings.compile;
  options.texts("disable-rewrite", "NAME", compile.disabledRewrites,
                "leave out an exact rewrite, to see what it brings: " +
                    llvm::join(rewriteNames(), ", "));
  options.flag("verify", settings.verify,
               "then compare the library with the reference interpreter");
  options.value(
      "until-after", "STAGE",
      [&](StringRef text) -> llvm::Error {
        std::vector<StringRef> names = stageNames();
        if (!llvm::is_contained(names, text))
          return userError("--until-after takes " + llvm::join(names, ", ") +
                           ", not " + inQuotes(text));
        compile.untilAfter = text.str();
        return llvm::Error::success();
      },
      "stop after " + llvm::join(stageNames(), ", ") +
          " and print the IR; needs no -o");
  options.flag("remarks", compile.remarks,
               "say on standard error for each layer and each level which "
               "algorithm computes it, and why");
  options.flag("timing", settings.timing,
               "say on standard error how long each stage takes");
  options.flag("print-ir", compile.printIr,
               "print the IR after every stage to standard error");
  options.flag("quiet,q", settings.quiet, "print only warnings and errors");
}

/// What the options cannot say one by one.
static llvm::Error checkSettings(CompileSettings &settings) {
  CompileOptions &compile = settings.compile;
  if (!settings.targets.empty())
    compile.target = llvm::join(settings.targets, "+");
  bool writesLibrary = compile.untilAfter.empty() &&
                       (compile.emit == "library" || compile.emit == "source");
  if (settings.verify && !writesLibrary)
    return userError(
        "--verify needs a library; leave out " +
        std::string(compile.untilAfter.empty() ? "--emit" : "--until-after"));
  if (compile.untilAfter.empty() && compile.output.empty())
    return userError("vitc compile needs -o OUT: the folder to write");
  if (!compile.untilAfter.empty() && !compile.output.empty())
    return userError("--until-after prints the IR and writes nothing; leave "
                     "out -o");
  if (!compile.configPath.empty() && compile.seed)
    if (!llvm::sys::fs::is_directory(compile.model))
      return userError("--config belongs to a weights file, and "
                       "--random-weights replaces one; leave one of them out");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// "libID.so 1.2 MB, libID.a 1.3 MB": what there is of them.
static std::string describeFiles(StringRef folder,
                                 llvm::ArrayRef<std::string> names) {
  std::vector<std::string> parts;
  for (const std::string &name : names) {
    llvm::SmallString<256> file(folder);
    llvm::sys::path::append(file, name);
    uint64_t size;
    if (!llvm::sys::fs::file_size(file, size))
      parts.push_back(name + " " + formatBytes(size));
  }
  return llvm::join(parts, ", ");
}

/// What a precision of fewer bits is, and where it has fewer still.
static std::string narrowText(llvm::StringRef precision,
                              llvm::StringRef targetName) {
  std::string text = precision.str() + ": ";
  for (const vit::PrecisionInfo &info : vit::precisions)
    if (info.word == precision)
      text += info.summary;
  llvm::Expected<Target> target = findTarget(targetName);
  if (!target) {
    llvm::consumeError(target.takeError());
    return text;
  }
  constexpr int mostOfEightBits = 255;
  std::vector<std::string> seven;
  for (const Level &level : target->levels)
    if (level.mostByte() < mostOfEightBits)
      seven.emplace_back(level.name);
  if (precision == "int8" && !seven.empty())
    text += "; activations have 7 bits on " + llvm::join(seven, ", ");
  return text;
}

static void printReport(const CompileSettings &settings,
                        const CompileReport &report) {
  llvm::raw_ostream &os = out();
  const CompileOptions &compile = settings.compile;
  auto line = [&](StringRef head, const llvm::Twine &text) {
    os << "  " << llvm::left_justify(head, 11) << text << "\n";
  };
  os << "wrote " << compile.output << ": " << report.name << " for "
     << report.target << "\n";
  line("outputs", llvm::join(report.outputs, ", "));
  line("model", formatCount(double(report.parameters)) + " parameters, " +
                    formatFixed(report.flops / 1e9, 2) + " GFLOP a batch, " +
                    formatFixed(report.computedFlops / 1e9, 2) +
                    " after exact rewrites");
  const std::string &name = report.name;
  std::string files = describeFiles(
      compile.output, {"lib/lib" + name + ".so", "lib/lib" + name + ".a",
                       "share/" + name + "/" + name + ".weights"});
  if (!files.empty())
    line("files", files);
  if (report.weightsBytes)
    line("memory", formatBytes(uint64_t(report.workspaceBytes)) +
                       " workspace for each context, " +
                       formatBytes(uint64_t(report.weightsBytes)) +
                       " weights shared by all");
  if (compile.fastMatmul && report.weightsBytes)
    line("", report.strassenBytes
                 ? formatBytes(uint64_t(report.strassenBytes)) +
                       " of the weights are --fast-matmul's; without it " +
                       formatBytes(
                           uint64_t(report.weightsBytes - report.strassenBytes))
             : report.winogradProducts
                 ? "--fast-matmul: Winograd products are faster on " +
                       report.target + ", and take its place"
                 : "no layer is large enough for --fast-matmul to gain");
  if (report.strassenBytes) {
    auto errors = [](const StrassenErrors::Pair &pair) {
      return formatShort(pair.strassen) + " of its row's spread (" +
             formatShort(pair.plain) + " without)";
    };
    line("precision",
         "an output of a Strassen layer is off by up to " +
             errors(report.strassenErrors.usual) + ", by " +
             errors(report.strassenErrors.outliers) +
             " where other rows and columns have outliers a hundred times as "
             "large; sampled in every layer");
  }
  const bool isNarrow = compile.precision != "f32";
  if (isNarrow)
    line("precision", narrowText(compile.precision, report.target) +
                          "; `vitc verify` tells what that costs");
  if (report.winogradProducts)
    line(
        "precision",
        (isNarrow ? "attention is" : "linear layers and attention are") +
            llvm::Twine(" Winograd inner products on Zen 4: the "
                        "usual error, bounded by the norms of rows and "
                        "columns (--disable-rewrite winograd for plain ones)"));
  if (compile.tensorCores && report.kernels)
    line("precision",
         report.tensorCoreKernels
             ? llvm::Twine(report.tensorCoreKernels) +
                   " kernels for tensor cores round both operands to half "
                   "precision (each by up to 4.9e-4 of itself, infinite beyond "
                   "65504) and sum in float32"
             : "float32 throughout: no layer has the 16 rows that tensor cores "
               "take");
  if (report.kernels)
    line("kernels", llvm::Twine(report.kernels) + ", " +
                        llvm::Twine(report.cachedKernels) +
                        " of them from the "
                        "cache");
  if (report.tunedKernels)
    line("", llvm::Twine(report.tunedKernels) +
                 " of them with tuned schedules (manifest.json has the "
                 "records)");
  if (!report.deviceCode.empty())
    line("device", report.deviceCode);
  line("time", formatSeconds(report.seconds));
  if (compile.emit == "mlir" || compile.emit == "kernels")
    return;
  std::string folder = shellWord(compile.output);
  os << "next: vitc run " << folder << " IMAGE    vitc bench " << folder
     << "\n      " << compile.output
     << "/example shows how a product uses the library\n";
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

llvm::Error vitc::tool::compileCommand(const Invocation &invocation) {
  CompileSettings settings;
  Options options("compile", "MODEL -o OUT [options]",
                  "Compiles a Vision Transformer to a library for one "
                  "processor. OUT gets a C and C++ header, a static and a "
                  "shared library, the packed weights, CMake and pkg-config "
                  "files, and an example.");
  declareModelOptions(options, settings);
  declareCodeOptions(options, settings);
  declareCheckOptions(options, settings);
  options.note("Compiled kernels are kept in $VITC_CACHE_DIR (default "
               "~/.cache/vitc) for the next time. Nobody else may be able "
               "to write there.");
  options.example("vitc compile vit-base-patch16-224/ -o out",
                  "a folder with config.json and model.safetensors");
  options.example("vitc compile model.safetensors --config config.json -o out "
                  "--output embedding --batch 8",
                  "a weights file; the pooled vector of eight images a run");
  options.example("vitc compile vit-tiny-patch16-224 --random-weights 1 -o out",
                  "a published architecture without its weights");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (llvm::Error error = checkSettings(settings))
    return error;
  const CompileOptions &compile = settings.compile;
  if (compile.tensorCores && options.given("backend") &&
      compile.backend != "auto")
    return userError("--backend " + compile.backend +
                     " and --tensor-cores exclude each other: kernels for "
                     "tensor cores are TVM's, a GPU's other kernels Halide's");
  auto installation = Installation::find(invocation.program);
  if (!installation)
    return installation.takeError();

  bool printsIr = !compile.untilAfter.empty() || compile.printIr;
  cleanUpOnInterrupt();
  Progress progress(settings.quiet || printsIr);
  auto report =
      compileModel(compile, *installation,
                   [&](StringRef stage, unsigned done, unsigned total) {
                     progress.show(stage, done, total);
                   });
  progress.clear();
  if (!report)
    return report.takeError();
  for (const std::string &warning : report->warnings)
    printWarning(warning);
  for (const std::string &remark : report->remarks)
    llvm::errs() << "remark: " << terminalText(remark) << "\n";
  if (settings.timing)
    for (const auto &[part, seconds] : report->timings)
      llvm::errs() << "time: " << formatSeconds(seconds) << " " << part << "\n";
  if (!compile.untilAfter.empty())
    return llvm::Error::success();
  if (!settings.quiet)
    printReport(settings, *report);
  if (!settings.verify)
    return llvm::Error::success();
  llvm::outs().flush();
  VerifyOptions verify;
  verify.folder = compile.output;
  verify.model = compile.model;
  verify.configPath = compile.configPath;
  verify.quiet = settings.quiet;
  return verifyAndReport(verify, *installation);
}
