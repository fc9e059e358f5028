// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The speed that the processor's multiply-add units can reach, measured.
#ifndef VITC_TOOLS_COMMON_PEAK_H
#define VITC_TOOLS_COMMON_PEAK_H

#include "vitc/TargetInfo/Targets.h"

#include <cstdint>

namespace vitc::tool {

/// Threads that a library starts when it is asked for 0: one per core that the
/// process may use.
unsigned usableCores();

/// The loop of the most demanding level of the target that this CPU has. None
/// for the target of another version, whose levels are not known.
targetinfo::PeakLoop peakLoopFor(llvm::StringRef target);

/// Measures the multiply-add peak in short slices, so that it can take turns
/// with the runs that are compared with it and sees the same clock frequency
/// and the same neighbours.
class PeakMeter {
public:
  /// The loop for `target`; `threads` of it at once.
  PeakMeter(llvm::StringRef target, unsigned threads);

  /// One slice of about a millisecond.
  void measure();
  /// Float32 operations a second of the best slice, two for each multiply-add;
  /// 0 where there is no loop for the processor.
  double best() const { return bestRate; }

private:
  using Loop = void (*)(int64_t iterations);
  Loop loop = nullptr;
  double flopsPerIteration = 0;
  int64_t iterations = 0;
  unsigned threads;
  double bestRate = 0;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_COMMON_PEAK_H
