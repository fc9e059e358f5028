// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc compile`, without its command line: from a model to the folder that a
/// product links.
#ifndef VITC_DRIVER_COMPILE_H
#define VITC_DRIVER_COMPILE_H

#include "vitc/Driver/Toolchain.h"
#include "vitc/Target/StrassenErrors.h"

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vitc {

/// Where the tool's own files are, in a build or an installed tree.
struct Installation {
  std::string backendFolder;  ///< vitc-halide and its like
  std::string runtimeFolder;  ///< include/ and src/ of the runtime
  std::string modelsFolder;   ///< models/*.json
  std::string runnerFolder;   ///< tools/runner: runs libraries for others
  std::string recordsFolder;  ///< tuned schedules: *.jsonl
  std::string measureProgram; ///< vitc-measure
  std::string cacheFolder;    ///< compiled kernels, kept between runs

  /// From the program's own path; VITC_CACHE_DIR overrides the cache (default
  /// $XDG_CACHE_HOME/vitc or ~/.cache/vitc).
  static llvm::Expected<Installation> find(const char *argv0);
};

struct CompileOptions {
  std::string model;            ///< folder, weights file, or known name
  std::string configPath;       ///< --config
  std::optional<uint64_t> seed; ///< --random-weights
  std::string output;           ///< -o: must not exist
  std::string
      name; ///< --name: identifier; derived from the model's name if empty
  std::string target = "host";
  std::string precision = "f32";
  std::string backend = "halide";
  std::string emit =
      "library"; ///< library, source (library plus OUT/src), mlir, kernels
  int64_t batch = 1;
  std::optional<std::pair<int64_t, int64_t>> imageSize;
  std::vector<std::string> outputs;
  std::vector<std::string>
      disabledRewrites; ///< exact rewrites to leave out, see rewriteNames()
  bool embedWeights = false;
  bool fastMatmul = false;  ///< Strassen's algorithm for the linear layers that
                            ///< gain by it: more weights, less exact
  bool tensorCores = false; ///< of an NVIDIA GPU, for the linear layers: their
                            ///< operands are rounded to half precision
  std::string untilAfter;   ///< stop after this stage (import, simplify, fuse,
                            ///< precision, kernels, plan) and print the IR to
                            ///< standard output
  bool remarks = false;     ///< tell how each layer is computed, and why
  bool printIr = false; ///< print the IR after every stage to standard error
  ToolchainOptions toolchain;
  unsigned threads = 0;         ///< kernels compiled at a time; all cores if 0
  unsigned kernelTimeout = 300; ///< seconds for one kernel
  std::string tuneDatabase;   ///< --tune-db: tuned schedules besides vitc's own
  bool ignoreRecords = false; ///< default schedules for every kernel
};

struct CompileReport {
  std::string name, target;
  int64_t parameters = 0, workspaceBytes = 0, weightsBytes = 0;
  int64_t strassenBytes = 0;     ///< of the weights, what fastMatmul added
  StrassenErrors strassenErrors; ///< what its layers lose in precision
  bool winogradProducts = false; ///< some layers are, where the CPU gains
  double flops = 0;              ///< nominal: of the model as published
  double computedFlops = 0;      ///< what is left after the rewrites
  unsigned kernels = 0, cachedKernels = 0, tunedKernels = 0,
           tensorCoreKernels = 0;
  std::string deviceCode; ///< of a GPU's kernels: what they take, in one line
  double seconds = 0;
  std::vector<std::string> outputs; ///< "logits [1, 1000]"
  std::vector<std::string> warnings;
  std::vector<std::string> remarks; ///< if they were asked for
  /// Seconds of each part of the compile, in order.
  std::vector<std::pair<std::string, double>> timings;
};

/// `done` of `total` units of `stage` are finished; called from one thread.
using ProgressCallback =
    std::function<void(llvm::StringRef stage, unsigned done, unsigned total)>;

/// A distinct kernel of a model, for one of the target's levels.
struct PlannedKernel {
  std::string name, family;
  std::string target;  ///< the backends' name of the level
  std::string library; ///< the target of the whole library
  llvm::json::Object spec;
  int64_t calls = 0; ///< in one run
  double flops = 0;  ///< of one call
};

/// What `compileModel` would ask backends for, without doing so.
llvm::Expected<std::vector<PlannedKernel>>
planKernels(const CompileOptions &options, const Installation &installation);

/// OUT appears whole or not at all.
llvm::Expected<CompileReport> compileModel(const CompileOptions &options,
                                           const Installation &installation,
                                           const ProgressCallback &progress);

} // namespace vitc

#endif // VITC_DRIVER_COMPILE_H
