// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Schedules from records, for the kernels of one compile.
#ifndef VITC_LIB_DRIVER_TUNEDSCHEDULES_H
#define VITC_LIB_DRIVER_TUNEDSCHEDULES_H

#include "vitc/Backend/KernelCompiler.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Records/Records.h"

namespace vitc {

class TunedSchedules {
public:
  /// The records for this machine's CPU: those that come with vitc, then those
  /// of the database that the options name. With --backend auto, those of
  /// every backend in `programs`. Records that cannot be read are warned about.
  static llvm::Expected<TunedSchedules>
  open(const CompileOptions &options, const Installation &installation,
       const std::map<std::string, std::string> &programs);

  /// The records that say what beats the default of `request`, the fastest
  /// first.
  std::vector<const tune::Record *>
  findBetter(const KernelRequest &request) const;

  /// Whether the record speaks of the code that both compile to today: its own
  /// and its baseline's. A schedule that was faster once may not be so after a
  /// change to the kernel, nor may it beat a better default.
  static llvm::Expected<bool> isCurrent(const tune::Record &record,
                                        const CompiledKernel &kernel,
                                        const CompiledKernel &standard);

  /// The request with the record's schedule and backend.
  static KernelRequest apply(const tune::Record &record,
                             const KernelRequest &request);

  /// About records of the database that cannot be read.
  std::vector<std::string> warnings;

private:
  explicit TunedSchedules(std::string cpu) : records(std::move(cpu)) {}

  tune::RecordSet records;
  std::vector<std::string> others; ///< backends that may take a kernel over
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_TUNEDSCHEDULES_H
