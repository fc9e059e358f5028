// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc-halide: the Halide backend of vitc. One kernel specification in, one
/// object file out (docs/KernelProtocol.md).
#include "emit.h"

#include <chrono>

using namespace vitc::halide;

static void compile(const KernelSpec &spec, const EmitOptions &options) {
  auto start = std::chrono::steady_clock::now();
  try {
    Kernel kernel = buildKernel(spec);
    std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    emitKernel(kernel, spec, options, elapsed.count());
  } catch (const Halide::Error &error) { // not a std::exception
    throw std::runtime_error(error.what());
  }
}

static Schedule::Result plan(const KernelSpec &spec, Schedule::Mode mode) {
  try {
    return buildKernel(spec, mode).schedule;
  } catch (const Halide::Error &error) {
    throw std::runtime_error(error.what());
  }
}

int main(int argc, char **argv) {
  return runBackend({/*name=*/"halide", /*title=*/"Halide", halideVersion(),
                     familyNames(), compile, plan},
                    argc, argv);
}
