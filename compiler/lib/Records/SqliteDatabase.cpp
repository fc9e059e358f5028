// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/Database.h"

#include "llvm/Support/FileSystem.h"

#include <sqlite3.h>

using namespace vitc;
using namespace vitc::tune;

namespace {

class SqliteDatabase : public Database {
public:
  SqliteDatabase(llvm::StringRef path, sqlite3 *handle)
      : Database(path.str()), handle(handle) {}
  ~SqliteDatabase() override { sqlite3_close(handle); }

  llvm::Expected<std::vector<Row>>
  execute(llvm::StringRef statement, llvm::ArrayRef<Field> parameters) override;

  llvm::StringRef identityColumn() const override {
    return "INTEGER PRIMARY KEY";
  }
  llvm::StringRef now() const override {
    return "((julianday('now') - 2440587.5) * 86400.0)";
  }
  // A writer locks the whole file.
  llvm::StringRef lockRows() const override { return ""; }
  llvm::StringRef beginStatement() const override { return "BEGIN IMMEDIATE"; }

private:
  llvm::Error failure() const {
    return userError(getPlace(), sqlite3_errmsg(handle));
  }

  sqlite3 *handle;
};

} // namespace

llvm::Expected<std::vector<Row>>
SqliteDatabase::execute(llvm::StringRef text,
                        llvm::ArrayRef<Field> parameters) {
  sqlite3_stmt *compiled = nullptr;
  if (sqlite3_prepare_v2(handle, text.data(), int(text.size()), &compiled,
                         nullptr) != SQLITE_OK)
    return failure();
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(
      compiled, sqlite3_finalize);
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string name = "$" + std::to_string(i + 1);
    int index = sqlite3_bind_parameter_index(compiled, name.c_str());
    if (index && parameters[i])
      sqlite3_bind_text(compiled, index, parameters[i]->c_str(),
                        int(parameters[i]->size()), SQLITE_TRANSIENT);
  }
  std::vector<Row> rows;
  int code;
  while ((code = sqlite3_step(compiled)) == SQLITE_ROW) {
    Row &row = rows.emplace_back();
    for (int column = 0, count = sqlite3_column_count(compiled); column < count;
         ++column) {
      if (sqlite3_column_type(compiled, column) == SQLITE_NULL)
        row.push_back(std::nullopt);
      else
        row.emplace_back(
            std::string(reinterpret_cast<const char *>(
                            sqlite3_column_text(compiled, column)),
                        size_t(sqlite3_column_bytes(compiled, column))));
    }
  }
  if (code != SQLITE_DONE)
    return failure();
  return rows;
}

llvm::Expected<std::unique_ptr<Database>>
vitc::tune::openSqlite(llvm::StringRef path, bool create) {
  if (!create && !llvm::sys::fs::exists(path))
    return userError(path, "there is no such database");
  sqlite3 *handle = nullptr;
  int code = sqlite3_open_v2(
      path.str().c_str(), &handle,
      SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  auto database = std::make_unique<SqliteDatabase>(path, handle);
  if (code != SQLITE_OK)
    return userError(path, "cannot be opened as a database: " +
                               llvm::Twine(sqlite3_errmsg(handle)));
  constexpr int patienceMilliseconds = 20000;
  sqlite3_busy_timeout(handle, patienceMilliseconds);
  // Every commit is on the disk before the next step: a power cut loses
  // nothing either.
  std::vector<llvm::StringRef> settings = {"PRAGMA synchronous = FULL",
                                           "PRAGMA foreign_keys = ON"};
  // The file remembers this one. A file of somebody else's is left alone.
  if (create)
    settings.push_back("PRAGMA journal_mode = WAL");
  for (llvm::StringRef setting : settings)
    if (auto done = database->run(setting); !done)
      return done.takeError();
  return database;
}
