// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Turns kernel specs into objects by running backend programs
/// (docs/KernelProtocol.md), with a cache between runs.
#ifndef VITC_BACKEND_KERNELCOMPILER_H
#define VITC_BACKEND_KERNELCOMPILER_H

#include "vitc/Backend/KernelRequest.h"
#include "vitc/Support/Cache.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vitc {

struct CompiledKernel {
  std::string name;
  std::string objectPath; ///< in the cache
  std::string adapter; ///< C++ source that gives the object its plain signature
  llvm::json::Object report;
  bool cached = false;
};

struct KernelCompilerOptions {
  std::map<std::string, std::string> programs; ///< backend to its program
  Cache *cache = nullptr;
  std::string cxx;  ///< the backend's $CXX, which it may assemble with; its own
                    ///< choice if empty
  std::string nvcc; ///< the backend's $NVCC, where kernels need it
  std::string ptxas; ///< the backend's $PTXAS, which CUDA kernels are tried
                     ///< with; none if empty
  unsigned jobs = 1;
  unsigned timeoutSeconds = 0; ///< for one kernel, 0: no limit; a backend that
                               ///< takes longer is ended and reported
  std::function<void(unsigned done, unsigned total)> progress;
};

/// The kernels in the order of the requests. Fails with the backend's own words
/// if one cannot be compiled.
llvm::Expected<std::vector<CompiledKernel>>
compileKernels(llvm::ArrayRef<KernelRequest> requests,
               const KernelCompilerOptions &options);

} // namespace vitc

#endif // VITC_BACKEND_KERNELCOMPILER_H
