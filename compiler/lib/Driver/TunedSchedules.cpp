// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TunedSchedules.h"

#include "vitc/Backend/ObjectCode.h"
#include "vitc/Backend/Registry.h"
#include "vitc/Records/Machine.h"
#include "vitc/Records/RecordStore.h"

#include "llvm/Support/FileSystem.h"

using namespace vitc;

llvm::Expected<TunedSchedules>
TunedSchedules::open(const CompileOptions &options,
                     const Installation &installation,
                     const std::map<std::string, std::string> &programs) {
  TunedSchedules tuned(tune::thisMachine().cpu);
  if (options.backend == everyBackend)
    for (const auto &[backend, program] : programs)
      if (llvm::sys::fs::can_execute(program))
        tuned.others.push_back(backend);
  if (!options.ignoreRecords)
    if (llvm::Error error = tuned.records.addFolder(installation.recordsFolder))
      return error;
  if (!options.tuneDatabase.empty()) {
    auto store =
        tune::RecordStore::open(options.tuneDatabase, /*create=*/false,
                                [&](const llvm::Twine &warning) {
                                  tuned.warnings.push_back(warning.str());
                                });
    if (!store)
      return store.takeError();
    auto found = store->get();
    if (!found)
      return found.takeError();
    tuned.records.add(std::move(*found));
  }
  return tuned;
}

std::vector<const tune::Record *>
TunedSchedules::findBetter(const KernelRequest &request) const {
  std::vector<const tune::Record *> better = records.find(
      tune::kernelKey(request.family, request.spec, request.target));
  // All that are left have the same baseline, so they compare.
  llvm::erase_if(better, [&](const tune::Record *record) {
    return record->baseline.backend != request.backend ||
           (record->backend != request.backend &&
            !llvm::is_contained(others, record->backend));
  });
  llvm::stable_sort(better, [](const tune::Record *a, const tune::Record *b) {
    return a->ratio() < b->ratio();
  });
  return better;
}

llvm::Expected<bool> TunedSchedules::isCurrent(const tune::Record &record,
                                               const CompiledKernel &kernel,
                                               const CompiledKernel &standard) {
  llvm::Expected<std::string> own = hashCode(kernel.objectPath);
  if (!own)
    return own.takeError();
  llvm::Expected<std::string> baseline = hashCode(standard.objectPath);
  if (!baseline)
    return baseline.takeError();
  return *own == record.code && *baseline == record.baseline.code;
}

KernelRequest TunedSchedules::apply(const tune::Record &record,
                                    const KernelRequest &request) {
  KernelRequest tuned = request;
  tuned.schedule = record.schedule;
  tuned.backend = record.backend;
  return tuned;
}
