// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What `vitc bench` measured, and how it is shown.
#ifndef VITC_TOOLS_COMMANDS_BENCHREPORT_H
#define VITC_TOOLS_COMMANDS_BENCHREPORT_H

#include "library/Library.h"

namespace vitc::tool {

/// One kernel call of the model.
struct StepTime {
  std::string layer, kernel;
  double milliseconds = 0; ///< median over the runs
  double flops = 0, bytes = 0;
};

/// All calls of one kernel.
struct KernelTime {
  std::string kernel;
  std::string layer; ///< of the first call
  int64_t calls = 0;
  double milliseconds = 0; ///< of all calls in one run
  double flops = 0, bytes = 0;
};

struct BenchReport {
  std::string name, target, precision;
  std::string emulator; ///< that ran the library; empty: the processor itself
  int64_t batch = 1;
  unsigned threads = 0;
  int64_t runs = 0;
  double flops = 0; ///< nominal, of one batch
  double minMs = 0, medianMs = 0, p99Ms = 0;
  double peak = 0;                    ///< operations a second; 0 if unknown
  double rssMb = 0, processRssMb = 0; ///< NaN under an emulator
  double loadMs = 0;
  std::vector<StepTime> steps; ///< empty unless asked for

  double imagesPerSecond() const { return 1000.0 * double(batch) / medianMs; }
  double gflops() const { return flops / minMs / 1e6; }
  /// NaN if the peak is unknown.
  double percentOfPeak() const;
  /// Largest time first.
  std::vector<KernelTime> kernels() const;
};

/// The figures of an earlier `vitc bench --json`.
struct EarlierBench {
  std::string path;
  std::string name, target;
  int64_t batch = 0, threads = 0;
  double minMs = 0, medianMs = 0, p99Ms = 0, rssMb = 0, loadMs = 0;
  std::vector<std::pair<std::string, double>> kernels; ///< name, milliseconds
};
llvm::Expected<EarlierBench> readEarlierBench(llvm::StringRef path);

void printBench(const BenchReport &report, const EarlierBench *earlier);
void printBenchJson(const BenchReport &report, const EarlierBench *earlier);

} // namespace vitc::tool

#endif // VITC_TOOLS_COMMANDS_BENCHREPORT_H
