// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/KernelCompiler.h"

#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace vitc;
namespace fs = llvm::sys::fs;

static llvm::Expected<std::string> readText(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// The kernel in a folder of the cache, or an error if the folder is missing or
/// damaged.
static llvm::Expected<CompiledKernel> load(llvm::StringRef folder,
                                           llvm::StringRef name) {
  CompiledKernel kernel;
  kernel.name = name.str();
  kernel.objectPath = joinPath(folder, "kernel.o");
  llvm::Expected<std::string> report =
      readText(joinPath(folder, "kernel.json"));
  if (!report)
    return report.takeError();
  llvm::Expected<std::string> adapter =
      readText(joinPath(folder, "kernel.cpp"));
  if (!adapter)
    return adapter.takeError();
  kernel.adapter = std::move(*adapter);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*report);
  if (!parsed)
    return parsed.takeError();
  llvm::json::Object *object = parsed->getAsObject();
  uint64_t size = 0;
  if (!object || fs::file_size(kernel.objectPath, size) ||
      int64_t(size) != object->getInteger("object_bytes").value_or(-1))
    return llvm::createStringError(folder + ": damaged");
  kernel.report = std::move(*object);
  return kernel;
}

namespace {

/// One kernel on its way: a folder in the cache under the hash of everything
/// that decides its contents.
struct Job {
  const KernelRequest *request;
  std::string folder, staging;
};

} // namespace

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

static llvm::Error prepare(Job &job) {
  job.staging =
      job.folder + ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
  InterruptLock lock;
  lock.add(job.staging);
  if (std::error_code code = fs::create_directories(job.staging))
    return userError(job.staging,
                     "cannot create the kernel cache: " + code.message() +
                         "; VITC_CACHE_DIR names another folder");
  std::error_code code;
  llvm::raw_fd_ostream os(joinPath(job.staging, "spec.json"), code);
  os << job.request->specification << "\n";
  os.close();
  if (code || os.has_error()) {
    os.clear_error();
    return userError(job.staging, "cannot write to the kernel cache: " +
                                      (code ? code : os.error()).message());
  }
  return llvm::Error::success();
}

/// Removes what is left of the job's staging folder.
static void discard(const Job &job) {
  InterruptLock lock;
  fs::remove_directories(job.staging);
  lock.drop(job.staging);
}

/// Makes a finished kernel part of the cache.
static void publish(const Job &job) {
  {
    InterruptLock lock;
    if (!fs::rename(job.staging, job.folder)) {
      lock.drop(job.staging);
      return;
    }
  }
  // Another vitc was quicker; its kernel is the same.
  discard(job);
}

/// A backend that fails for want of space is not at fault.
static llvm::Error describeFailure(const Job &job, const ProcessResult &result,
                                   llvm::StringRef cacheFolder) {
  constexpr uint64_t tooLittle = 64 * 1024;
  llvm::ErrorOr<fs::space_info> space = fs::disk_space(cacheFolder);
  if (space && space->available < tooLittle)
    return userError(cacheFolder, "no space left on the disk for the kernel "
                                  "cache; VITC_CACHE_DIR names another folder");
  constexpr int refused = 1; // the specification asks for what it lacks
  if (result.exitCode == refused)
    return userError("--backend " + job.request->backend + ": kernel " +
                     job.request->name + " cannot be compiled by vitc-" +
                     job.request->backend + ": " + result.describe());
  return llvm::createStringError("the backend could not compile kernel " +
                                 job.request->name + ": " + result.describe());
}

llvm::Expected<std::vector<CompiledKernel>>
vitc::compileKernels(llvm::ArrayRef<KernelRequest> requests,
                     const KernelCompilerOptions &options) {
  std::map<std::string, std::string> identities;
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
  std::string cudaVersions;
  for (const std::string &program : {options.ptxas, options.nvcc}) {
    if (program.empty())
      continue;
    llvm::Expected<std::string> version =
        runForOutput({program, {"--version"}});
    if (!version)
      return version.takeError();
    cudaVersions += *version;
  }

  std::vector<Job> jobs, missing;
  unsigned done = 0;
  for (const KernelRequest &request : requests) {
    std::string key =
        llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(
                        identities[request.backend] + cudaVersions +
                        request.specification)),
                    true);
    Job job{&request,
            joinPath(options.cacheFolder,
                     "kernels/" + key.substr(0, 2) + "/" + key.substr(2, 38)),
            ""};
    jobs.push_back(job);
    llvm::Expected<CompiledKernel> known = load(job.folder, request.name);
    if (known) {
      ++done;
      continue;
    }
    llvm::consumeError(known.takeError());
    fs::remove_directories(job.folder);
    missing.push_back(job);
  }
  auto report = [&] {
    if (options.progress)
      options.progress(done, requests.size());
  };
  report();

  auto discardAll = [&] {
    for (const Job &job : missing)
      if (!job.staging.empty())
        discard(job);
  };
  std::vector<std::string> environment;
  if (!options.cxx.empty())
    environment.push_back("CXX=" + options.cxx);
  environment.push_back("PTXAS=" + options.ptxas);
  if (!options.nvcc.empty())
    environment.push_back("NVCC=" + options.nvcc);
  std::vector<ProcessRequest> processes;
  for (Job &job : missing) {
    if (llvm::Error error = prepare(job)) {
      discardAll();
      return error;
    }
    processes.push_back({options.programs.at(job.request->backend),
                         {"--spec", joinPath(job.staging, "spec.json"), "-o",
                          joinPath(job.staging, "kernel")},
                         environment});
    // Of the assembler that it calls: removed with the folder.
    processes.back().environment.push_back("TMPDIR=" + job.staging);
  }
  llvm::Error error = runProcesses(
      processes, options.jobs, options.timeoutSeconds,
      [&](size_t index, const ProcessResult &result) -> llvm::Error {
        Job &job = missing[index];
        if (!result.succeeded())
          return describeFailure(job, result, options.cacheFolder);
        publish(job);
        ++done;
        report();
        return llvm::Error::success();
      });
  if (error) {
    discardAll();
    return error;
  }

  std::vector<CompiledKernel> kernels;
  for (const Job &job : jobs) {
    llvm::Expected<CompiledKernel> kernel = load(job.folder, job.request->name);
    if (!kernel)
      return kernel.takeError();
    kernel->cached = llvm::none_of(missing, [&](const Job &other) {
      return other.request == job.request;
    });
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}
