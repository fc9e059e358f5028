/// Tuned schedules as text, one line of JSON each (docs/Tuning.md): how they
/// are shipped, moved between databases, and found by `vitc compile`.
#ifndef VITC_TUNE_RECORDS_H
#define VITC_TUNE_RECORDS_H

#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace vitc::tune {

/// One schedule that was found to be faster than the default one.
struct Record {
  std::string family, target;
  llvm::json::Object spec;
  std::string cpu, machine; ///< see Machine.h
  std::string backend, backendVersion, vitcVersion;
  llvm::json::Object schedule;
  int64_t threads = 1;
  double seconds = 0, defaultSeconds = 0; ///< of one call, timed in turn
  double share = 0;                       ///< of the measured peak
  std::string date, command;

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

/// `place` is put before messages: "FILE:LINE".
llvm::Expected<Record> parseRecord(llvm::StringRef place, llvm::StringRef line);

/// Every record of a file. Empty lines and lines that begin with # are skipped.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef path);

/// Records for one CPU.
class RecordSet {
public:
  explicit RecordSet(std::string cpu) : cpu(std::move(cpu)) {}

  /// Takes those that are for this CPU. Of two for the same kernel and backend
  /// the later call wins.
  void add(std::vector<Record> records);
  /// All `.jsonl` files in `folder`; no folder, no records.
  llvm::Error addFolder(llvm::StringRef folder);

  /// The record of `backend` for a kernel, or null. Without a backend, the one
  /// that takes least time.
  const Record *find(llvm::StringRef key, llvm::StringRef backend = "") const;
  bool empty() const { return records.empty(); }

private:
  std::string cpu;
  std::map<std::pair<std::string, std::string>, Record> records;
};

} // namespace vitc::tune

#endif // VITC_TUNE_RECORDS_H
