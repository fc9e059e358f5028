// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/RecordStore.h"

using namespace vitc;
using namespace vitc::tune;

/// Of all tables, those of sessions included.
static constexpr llvm::StringLiteral tablesVersion = "3";

llvm::Error vitc::tune::makeTables(Database &database,
                                   llvm::ArrayRef<std::string> statements) {
  return database.transaction([&](Database &db) -> llvm::Error {
    if (isPostgres(db.getPlace()))
      if (auto locked = db.run("SELECT pg_advisory_xact_lock(7681)"); !locked)
        return locked.takeError();
    for (const std::string &statement : statements)
      if (auto done = db.run(statement); !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Error RecordStore::createTables() {
  return makeTables(
      *database,
      {"CREATE TABLE IF NOT EXISTS vitc_tune (version BIGINT NOT NULL)",
       "INSERT INTO vitc_tune SELECT " + tablesVersion.str() +
           " WHERE NOT EXISTS (SELECT * FROM vitc_tune)",
       "CREATE TABLE IF NOT EXISTS records (id " +
           database->identityColumn().str() +
           ", key TEXT NOT NULL, cpu TEXT NOT NULL, backend TEXT NOT NULL, "
           "baseline_backend TEXT NOT NULL, line TEXT NOT NULL, UNIQUE (key, "
           "cpu, backend, baseline_backend))"});
}

llvm::Expected<RecordStore>
RecordStore::open(llvm::StringRef place, bool create, WarningHandler warn) {
  llvm::Expected<std::unique_ptr<Database>> database =
      Database::open(place, create, std::move(warn));
  if (!database)
    return database.takeError();
  RecordStore store(std::move(*database));
  if (create)
    if (llvm::Error error = store.createTables())
      return error;
  // A file that is something else should be heard of at once.
  auto version = store.database->run("SELECT version FROM vitc_tune");
  if (!version) {
    llvm::consumeError(version.takeError());
    return userError(store.getPlace(), "holds no tuning session of vitc's");
  }
  if (version->size() != 1 || version->front()[0] != Field(tablesVersion.str()))
    return userError(store.getPlace(),
                     "was made by another version of vitc: its tables are not "
                     "those of version " +
                         tablesVersion);
  return store;
}

llvm::Error RecordStore::add(llvm::ArrayRef<Record> records) {
  return database->transaction([&](Database &db) -> llvm::Error {
    for (const Record &record : records)
      if (auto done = db.run(
              "INSERT INTO records (key, cpu, backend, baseline_backend, line) "
              "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key, cpu, backend, "
              "baseline_backend) DO UPDATE SET line = excluded.line",
              {record.key(), record.cpu, record.backend,
               record.baseline.backend, record.toLine()});
          !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Error RecordStore::remove(llvm::ArrayRef<Record> records) {
  return database->transaction([&](Database &db) -> llvm::Error {
    for (const Record &record : records)
      if (auto done = db.run(
              "DELETE FROM records WHERE key = $1 AND cpu = $2 AND backend = "
              "$3 AND baseline_backend = $4",
              {record.key(), record.cpu, record.backend,
               record.baseline.backend});
          !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<Record>> RecordStore::get() {
  auto rows = database->run("SELECT id, line FROM records ORDER BY id");
  if (!rows)
    return rows.takeError();
  std::vector<Record> records;
  for (const Row &row : *rows) {
    std::string number = row[0].value_or("?");
    llvm::Expected<Record> record =
        parseRecord(getPlace() + ": record " + number, row[1].value_or(""));
    if (record) {
      record->place = getPlace();
      records.push_back(std::move(*record));
    } else {
      database->warn(llvm::toString(record.takeError()) +
                     "; the record is left out");
    }
  }
  return records;
}
