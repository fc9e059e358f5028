// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The records of a database, which tuning sessions write and `vitc compile`
/// reads.
#ifndef VITC_RECORDS_RECORDSTORE_H
#define VITC_RECORDS_RECORDSTORE_H

#include "vitc/Records/Database.h"
#include "vitc/Records/Records.h"

namespace vitc::tune {

class RecordStore {
public:
  /// `place` is a file or a server's URL; `create` makes the file and the
  /// tables if they are missing. `warn` hears of records that are passed over
  /// and of lost connections.
  static llvm::Expected<RecordStore> open(llvm::StringRef place, bool create,
                                          WarningHandler warn);

  llvm::Error add(llvm::ArrayRef<Record> records);
  /// Those about the same kernels, CPUs and backends.
  llvm::Error remove(llvm::ArrayRef<Record> records);
  /// All that can be read; the rest is warned about.
  llvm::Expected<std::vector<Record>> get();

  Database &getDatabase() { return *database; }
  const std::string &getPlace() const { return database->getPlace(); }

private:
  explicit RecordStore(std::unique_ptr<Database> database)
      : database(std::move(database)) {}
  llvm::Error createTables();

  std::unique_ptr<Database> database;
};

/// Runs statements that make tables. Two that start together do not both make
/// them.
llvm::Error makeTables(Database &database,
                       llvm::ArrayRef<std::string> statements);

} // namespace vitc::tune

#endif // VITC_RECORDS_RECORDSTORE_H
