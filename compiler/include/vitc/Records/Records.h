// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tuned schedules as text, one line of JSON each (docs/Tuning.md): how they
/// are shipped, moved between databases, and found by `vitc compile`.
#ifndef VITC_RECORDS_RECORDS_H
#define VITC_RECORDS_RECORDS_H

#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace vitc::tune {

/// One schedule that was found to be faster than the default one, of the same
/// backend or of another.
struct Record {
  std::string family, target;
  llvm::json::Object spec;
  std::string cpu, machine; ///< see Machine.h
  std::string backend, backendVersion, vitcVersion;
  llvm::json::Object schedule;
  std::string code; ///< of the machine code that was timed: see hashCode
  /// The default that it was timed in turn with.
  struct Baseline {
    std::string backend, backendVersion;
    llvm::json::Object schedule;
    std::string code;
    double seconds = 0;
  } baseline;
  int64_t threads = 1;
  double seconds = 0; ///< of one call
  double share = 0;   ///< of the measured peak
  std::string date, command;
  std::string place; ///< where it was read: FILE:LINE, or DATABASE:NUMBER

  /// Of its time to the baseline's. Records with the same baseline compare by
  /// it; seconds of different sessions do not compare.
  double ratio() const { return seconds / baseline.seconds; }

  /// What the record is about: see kernelKey.
  std::string key() const;
  /// The line, without its end.
  std::string toLine() const;
  /// For the manifest: where, when and how it was measured.
  llvm::json::Object provenance() const;
};

/// A hash of what a kernel computes, and for which instructions.
std::string kernelKey(llvm::StringRef family, const llvm::json::Object &spec,
                      llvm::StringRef target);

/// Whether it is a schedule: an object of integers.
bool isSchedule(const llvm::json::Object &object);

/// The record in line `number` of `path`, which are put before messages. All
/// numbers are finite and in the ranges in which they make sense.
llvm::Expected<Record> parseRecord(llvm::StringRef path, llvm::StringRef line,
                                   unsigned number = 1);

/// Every record of a file. Empty lines and lines that begin with # are skipped.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef path);

/// Records for one CPU.
class RecordSet {
public:
  explicit RecordSet(std::string cpu) : cpu(std::move(cpu)) {}

  /// Takes those that are for this CPU. Of two that say the same thing (kernel,
  /// backend and the baseline's backend) the later call wins.
  void add(std::vector<Record> records);
  /// All `.jsonl` files in `folder`; no folder, no records.
  llvm::Error addFolder(llvm::StringRef folder);

  /// All that is known about a kernel.
  std::vector<const Record *> find(llvm::StringRef key) const;

private:
  using Place =
      std::array<std::string, 3>; ///< key, backend, baseline's backend
  std::string cpu;
  std::map<Place, Record> records;
};

} // namespace vitc::tune

#endif // VITC_RECORDS_RECORDS_H
