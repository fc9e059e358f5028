// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/KernelCompiler.h"

#include "vitc/Support/File.h"
#include "vitc/Support/Json.h"
#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

using namespace vitc;
namespace fs = llvm::sys::fs;

/// The cache's kind of entry, and the names of its files: a backend's three,
/// which share a prefix, and what it was asked.
static constexpr llvm::StringLiteral kind = "kernels";
static constexpr llvm::StringLiteral prefix = "kernel", objectFile = "kernel.o",
                                     adapterFile = "kernel.cpp",
                                     reportFile = "kernel.json",
                                     requestFile = "spec.json";
static constexpr llvm::StringRef resultFiles[] = {objectFile, adapterFile,
                                                  reportFile};

/// A backend that was rebuilt may give other kernels under the same version, so
/// its file is part of the key.
static llvm::Expected<std::string> identityOf(llvm::StringRef program) {
  auto buffer = llvm::MemoryBuffer::getFile(program, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return userError(program, "cannot run the kernel backend: " +
                                  buffer.getError().message());
  return llvm::toHex(
      llvm::SHA256::hash(llvm::arrayRefFromStringRef((*buffer)->getBuffer())),
      /*LowerCase=*/true);
}

/// A backend that says that it is done need not have written what it should.
static llvm::Error checkResult(const KernelRequest &request,
                               const Cache::Draft &draft) {
  auto fail = [&](const llvm::Twine &reason) {
    return llvm::createStringError("the backend's result for kernel " +
                                   request.name + ": " + reason);
  };
  for (llvm::StringRef name : resultFiles)
    if (!fs::is_regular_file(draft.path(name)))
      return fail("there is no " + name);
  auto text = llvm::MemoryBuffer::getFile(draft.path(reportFile));
  if (!text)
    return fail(text.getError().message());
  llvm::Expected<llvm::json::Object> report =
      parseJsonObject("kernel.json", (*text)->getBuffer());
  return report ? llvm::Error::success()
                : fail(llvm::toString(report.takeError()));
}

/// An entry of the cache; its files were checked, and these bytes are used.
static llvm::Expected<CompiledKernel> load(const KernelRequest &request,
                                           Cache::Entry entry) {
  CompiledKernel kernel;
  kernel.name = request.name;
  kernel.objectPath = entry.path(objectFile);
  kernel.adapter = std::move(entry.files[adapterFile.str()]);
  llvm::Expected<llvm::json::Object> report =
      parseJsonObject("kernel.json", entry.files[reportFile.str()]);
  if (!report)
    return report.takeError();
  kernel.report = std::move(*report);
  return kernel;
}

/// A backend that fails for want of space or time is not at fault.
static llvm::Error describeFailure(const KernelRequest &request,
                                   const ProcessResult &result,
                                   llvm::StringRef cacheFolder) {
  std::string program = "vitc-" + request.backend;
  if (result.timedOut) {
    std::string text = llvm::formatv(
        "{0} did not finish kernel {1} within {2} s, in which it "
        "took {3:f1} s of processor time",
        program, request.name, result.limitSeconds, result.cpuSeconds);
    constexpr llvm::StringLiteral advice = "--kernel-timeout allows more time";
    if (result.stalled())
      return userError(text + ": the machine is overloaded or stalled; " +
                       advice);
    return llvm::createStringError(text + "; " + advice);
  }
  constexpr uint64_t tooLittle = 64 * 1024;
  llvm::ErrorOr<fs::space_info> space = fs::disk_space(cacheFolder);
  if (space && space->available < tooLittle)
    return userError(cacheFolder, "no space left on the disk for the kernel "
                                  "cache; VITC_CACHE_DIR names another folder");
  constexpr int refused = 1; // the specification asks for what it lacks
  if (result.exitCode == refused)
    return userError("--backend " + request.backend + ": kernel " +
                     request.name + " cannot be compiled by " + program + ": " +
                     result.describe());
  return llvm::createStringError("the backend could not compile kernel " +
                                 request.name + ": " + result.describe());
}

namespace {

/// The kernels of one call.
class KernelCompiler {
public:
  KernelCompiler(llvm::ArrayRef<KernelRequest> requests,
                 const KernelCompilerOptions &options)
      : requests(requests), options(options), cache(*options.cache),
        kernels(requests.size()) {}

  llvm::Expected<std::vector<CompiledKernel>> run() {
    if (llvm::Error error = identify())
      return error;
    if (llvm::Error error = lookUp())
      return error;
    if (llvm::Error error = compile())
      return error;
    return std::move(kernels);
  }

private:
  llvm::Error identify();
  llvm::Error lookUp();
  llvm::Error compile();
  llvm::Expected<ProcessRequest> prepare(size_t index);
  llvm::Error finish(size_t index, const ProcessResult &result);
  std::string keyOf(size_t index) {
    return Cache::keyOf(identities[requests[index].backend] + cudaVersions +
                        requests[index].toText());
  }
  void report() {
    if (options.progress)
      options.progress(done, requests.size());
  }

  llvm::ArrayRef<KernelRequest> requests;
  const KernelCompilerOptions &options;
  Cache &cache;
  std::map<std::string, std::string> identities; ///< of backends
  std::string cudaVersions;
  std::vector<CompiledKernel> kernels;
  std::vector<size_t> missing;      ///< places of requests
  std::vector<Cache::Draft> drafts; ///< of the missing ones
  unsigned done = 0;
};

} // namespace

llvm::Error KernelCompiler::identify() {
  for (const KernelRequest &request : requests) {
    if (identities.count(request.backend))
      continue;
    llvm::Expected<std::string> identity =
        identityOf(options.programs.at(request.backend));
    if (!identity)
      return identity.takeError();
    identities[request.backend] = *identity;
  }
  // What CUDA's programs make of a kernel is part of it, so another one, or
  // none, makes another kernel.
  for (const std::string &program : {options.ptxas, options.nvcc}) {
    if (program.empty())
      continue;
    llvm::Expected<std::string> version =
        runForOutput({program, {"--version"}});
    if (!version)
      return version.takeError();
    cudaVersions += *version;
  }
  return llvm::Error::success();
}

llvm::Error KernelCompiler::lookUp() {
  for (size_t i = 0; i < requests.size(); ++i) {
    llvm::Expected<std::optional<Cache::Entry>> entry =
        cache.find(kind, keyOf(i), resultFiles);
    if (!entry)
      return entry.takeError();
    if (!*entry) {
      missing.push_back(i);
      continue;
    }
    llvm::Expected<CompiledKernel> kernel =
        load(requests[i], std::move(**entry));
    if (!kernel)
      return kernel.takeError();
    kernels[i] = std::move(*kernel);
    kernels[i].cached = true;
    ++done;
  }
  report();
  return llvm::Error::success();
}

llvm::Expected<ProcessRequest> KernelCompiler::prepare(size_t index) {
  const KernelRequest &request = requests[index];
  llvm::Expected<Cache::Draft> draft = cache.begin();
  if (!draft)
    return draft.takeError();
  std::string specification = request.toText() + "\n";
  if (std::error_code failed =
          replaceFile(draft->path(requestFile), llvm::StringRef(specification)))
    return cache.fail(failed);
  ProcessRequest process = {
      options.programs.at(request.backend),
      {"--spec", draft->path(requestFile), "-o", draft->path(prefix)}};
  if (!options.cxx.empty())
    process.environment.push_back("CXX=" + options.cxx);
  process.environment.push_back("PTXAS=" + options.ptxas);
  if (!options.nvcc.empty())
    process.environment.push_back("NVCC=" + options.nvcc);
  // Of the assembler that it calls: removed with the draft.
  process.environment.push_back("TMPDIR=" + draft->scratch());
  drafts.push_back(std::move(*draft));
  return process;
}

llvm::Error KernelCompiler::finish(size_t index, const ProcessResult &result) {
  const KernelRequest &request = requests[missing[index]];
  if (!result.succeeded())
    return describeFailure(request, result, cache.path());
  if (llvm::Error error = checkResult(request, drafts[index]))
    return error;
  std::string key = keyOf(missing[index]);
  if (llvm::Error error = cache.keep(drafts[index], kind, key))
    return error;
  llvm::Expected<std::optional<Cache::Entry>> entry =
      cache.find(kind, key, resultFiles);
  if (!entry)
    return entry.takeError();
  if (!*entry)
    return llvm::createStringError("kernel " + request.name +
                                   " was damaged in the cache at once");
  llvm::Expected<CompiledKernel> kernel = load(request, std::move(**entry));
  if (!kernel)
    return kernel.takeError();
  kernels[missing[index]] = std::move(*kernel);
  ++done;
  report();
  return llvm::Error::success();
}

llvm::Error KernelCompiler::compile() {
  std::vector<ProcessRequest> processes;
  for (size_t index : missing) {
    llvm::Expected<ProcessRequest> process = prepare(index);
    if (!process)
      return process.takeError();
    processes.push_back(std::move(*process));
  }
  return runProcesses(processes, options.jobs, options.timeoutSeconds,
                      [&](size_t index, const ProcessResult &result) {
                        return finish(index, result);
                      });
}

llvm::Expected<std::vector<CompiledKernel>>
vitc::compileKernels(llvm::ArrayRef<KernelRequest> requests,
                     const KernelCompilerOptions &options) {
  return KernelCompiler(requests, options).run();
}
