/// Schedules from records, for the kernels of one compile.
#ifndef VITC_LIB_DRIVER_TUNEDSCHEDULES_H
#define VITC_LIB_DRIVER_TUNEDSCHEDULES_H

#include "vitc/Backend/KernelCompiler.h"
#include "vitc/Driver/Compile.h"
#include "vitc/Tune/Records.h"

namespace vitc {

class TunedSchedules {
public:
  /// The records for this machine's CPU: those that come with vitc, then those
  /// of the database that the options name.
  static llvm::Expected<TunedSchedules> open(const CompileOptions &options,
                                             const Installation &installation);

  /// The requests with schedules, and with --backend auto backends, from
  /// records; and for each the record, or null where the default rule stays.
  std::vector<KernelRequest>
  apply(llvm::ArrayRef<KernelRequest> requests,
        std::vector<const tune::Record *> &used) const;

private:
  TunedSchedules(tune::RecordSet records, bool choosesBackend)
      : records(std::move(records)), choosesBackend(choosesBackend) {}

  tune::RecordSet records;
  bool choosesBackend; ///< --backend auto: TVM where both were measured and it
                       ///< was faster
};

} // namespace vitc

#endif // VITC_LIB_DRIVER_TUNEDSCHEDULES_H
