// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Rows of a database are text. What stands there need not have been written by
/// vitc, so reading never fails: it complains.
#ifndef VITC_LIB_TUNE_ROWTEXT_H
#define VITC_LIB_TUNE_ROWTEXT_H

#include "vitc/Records/Database.h"
#include "vitc/Tune/Rows.h"

namespace vitc::tune {

std::string toText(const std::string &value);
std::string toText(int64_t value);
std::string toText(double value);
std::string toText(const llvm::json::Object &value);
std::string toText(TrialKind value);
std::string toText(TrialState value);
std::string toText(Outcome value);

/// Reads the fields of a row in their order. A field that is NULL leaves its
/// value alone; one that cannot be read leaves it alone and is complained of.
class RowReader {
public:
  explicit RowReader(const Row &row) : row(row) {}

  void read(llvm::StringRef name, std::string &value);
  void read(llvm::StringRef name, int64_t &value);
  void read(llvm::StringRef name, bool &value);
  void read(llvm::StringRef name, double &value); ///< a finite one
  void read(llvm::StringRef name, llvm::json::Object &value);
  void read(llvm::StringRef name, TrialKind &value);
  void read(llvm::StringRef name, TrialState &value);
  void read(llvm::StringRef name, Outcome &value);

  void complain(const llvm::Twine &message) {
    if (complaint.empty())
      complaint = message.str();
  }
  /// The first one; empty if all is well.
  const std::string &getComplaint() const { return complaint; }

private:
  const Field &take() { return row[next++]; }
  template <typename Enum>
  void readName(llvm::StringRef name, Enum &value, unsigned count);

  const Row &row;
  size_t next = 0;
  std::string complaint;
};

/// A query's only field, such as a count.
template <typename T>
T readOne(llvm::ArrayRef<Row> rows) {
  T value = {};
  if (!rows.empty())
    RowReader(rows.front()).read("", value);
  return value;
}

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_ROWTEXT_H
