// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tuning records: the input is a file of them. What is read must be written
/// and read again as the same.
#include "Readers.h"

#include "vitc/Records/Records.h"

using namespace vitc;
using namespace vitc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  auto records = tune::readRecords(file.write(textOf(data, size)));
  if (!isValue(records))
    return 0;
  for (const tune::Record &record : *records) {
    std::string line = record.toLine();
    auto again = tune::parseRecord("line", line);
    if (!again)
      fault("a record that was read is refused when it is written: " +
            llvm::toString(again.takeError()));
    if (again->toLine() != line || again->key() != record.key())
      fault("a record changes when it is written: " + line);
    (void)again->ratio();
  }
  tune::RecordSet set("cpu");
  set.add(std::move(*records));
  return 0;
}
