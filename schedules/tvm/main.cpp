// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc-tvm: the TVM backend of vitc. One kernel specification in, one object
/// file out (docs/KernelProtocol.md).
#include "emit.h"

#include <chrono>

using namespace vitc::tvm_backend;

static void compile(const KernelSpec &spec, const EmitOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Kernel kernel = buildKernel(spec, Schedule::Mode::Strict);
  kernel.define(kernel);
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  emitKernel(kernel, spec, options, elapsed.count());
}

static Schedule::Result plan(const KernelSpec &spec, Schedule::Mode mode) {
  return buildKernel(spec, mode).schedule;
}

int main(int argc, char **argv) {
  return runBackend({/*name=*/"tvm", /*title=*/"TVM", tvmVersion(),
                     familyNames(), compile, plan},
                    argc, argv);
}
