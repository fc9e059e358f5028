// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RecordedKernels.h"

#include "llvm/ADT/STLExtras.h"

using namespace vitc;
using llvm::StringRef;

llvm::Error
vitc::useRecords(KernelSet &set, const TunedSchedules &tuned,
                 StringRef shippedFolder,
                 llvm::function_ref<llvm::Expected<std::vector<CompiledKernel>>(
                     llvm::ArrayRef<KernelRequest>)>
                     compile,
                 std::vector<std::string> &warnings) {
  auto &[requests, kernels, records] = set;
  const std::vector<KernelRequest> standard = requests;
  records.assign(requests.size(), nullptr);
  std::vector<std::vector<const tune::Record *>> better;
  size_t most = 0;
  for (const KernelRequest &request : standard) {
    better.push_back(tuned.findBetter(request));
    most = std::max(most, better.back().size());
  }
  unsigned outdated = 0; // of the database's; the others are not the user's
  std::string database;
  // The best record of each kernel; then the next best where that was of no
  // use.
  for (size_t place = 0; place < most; ++place) {
    std::vector<size_t> which;
    std::vector<KernelRequest> recorded;
    for (size_t i = 0; i < standard.size(); ++i)
      if (!records[i] && place < better[i].size()) {
        which.push_back(i);
        recorded.push_back(
            TunedSchedules::apply(*better[i][place], standard[i]));
      }
    llvm::Expected<std::vector<CompiledKernel>> compiled = compile(recorded);
    if (!compiled) {
      warnings.push_back("default schedules are used, because a tuned "
                         "one does not fit any more: " +
                         llvm::toString(compiled.takeError()));
      continue;
    }
    for (auto [i, request, kernel] : llvm::zip(which, recorded, *compiled)) {
      const tune::Record *record = better[i][place];
      llvm::Expected<bool> current =
          TunedSchedules::isCurrent(*record, kernel, kernels[i]);
      if (!current)
        return current.takeError();
      if (!*current) {
        if (!StringRef(record->place).starts_with(shippedFolder)) {
          ++outdated;
          database = record->place;
        }
        continue;
      }
      records[i] = record;
      requests[i] = std::move(request);
      kernels[i] = std::move(kernel);
    }
  }
  if (outdated)
    warnings.push_back(
        database + ": " + std::to_string(outdated) +
        (outdated == 1 ? " record was" : " records were") +
        " measured with other code than the kernels have now; `vitc tune` "
        "measures again");
  return llvm::Error::success();
}
