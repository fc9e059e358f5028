// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A database that holds records and tuning sessions: SQLite in a file, or
/// PostgreSQL on a server. Both understand the same statements, with parameters
/// $1, $2 …; what they spell differently is asked for here.
#ifndef VITC_RECORDS_DATABASE_H
#define VITC_RECORDS_DATABASE_H

#include "vitc/Support/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vitc::tune {

/// A parameter or a field as text; absent is NULL.
using Field = std::optional<std::string>;
using Row = std::vector<Field>;

/// Told what a person should know though work goes on.
using WarningHandler = std::function<void(const llvm::Twine &message)>;

class Database {
public:
  virtual ~Database() = default;

  /// `postgresql://…` and `postgres://…` are servers, all else is a file. A
  /// file is made if `create` says so; otherwise it must be there.
  static llvm::Expected<std::unique_ptr<Database>>
  open(llvm::StringRef place, bool create, WarningHandler warn);

  /// Runs one statement and returns its rows. If the connection is lost, it is
  /// made again for up to a minute, and the statement is repeated: one that
  /// was done already must do no harm.
  llvm::Expected<std::vector<Row>> run(llvm::StringRef statement,
                                       llvm::ArrayRef<Field> parameters = {});

  /// All statements of `body`, or none if it fails. After a lost connection
  /// `body` is called again, so it starts with forgetting what it had found.
  llvm::Error
  transaction(llvm::function_ref<llvm::Error(Database &database)> body);

  /// Type and constraint of a column that numbers the rows.
  virtual llvm::StringRef identityColumn() const = 0;
  /// The database's own time in seconds: the clocks of workers may disagree.
  virtual llvm::StringRef now() const = 0;
  /// Ends a query whose rows are about to be changed, passing over rows that
  /// others are changing.
  virtual llvm::StringRef lockRows() const = 0;
  virtual llvm::StringRef beginStatement() const = 0;
  /// The place without its password, for messages.
  const std::string &getPlace() const { return place; }
  void warn(const llvm::Twine &message) const {
    if (warningHandler)
      warningHandler(message);
  }

protected:
  explicit Database(std::string place) : place(std::move(place)) {}

  virtual llvm::Expected<std::vector<Row>>
  execute(llvm::StringRef statement, llvm::ArrayRef<Field> parameters) = 0;
  /// False after a statement that failed because the server was not there.
  virtual bool isConnected() const { return true; }
  /// Tries once.
  virtual bool connectAgain() { return true; }

private:
  llvm::Error
  tryTransaction(llvm::function_ref<llvm::Error(Database &database)> body);
  llvm::Error reconnect(llvm::Error cause);

  std::string place;
  WarningHandler warningHandler;
  bool inTransaction = false;
};

llvm::Expected<std::unique_ptr<Database>> openSqlite(llvm::StringRef path,
                                                     bool create);
llvm::Expected<std::unique_ptr<Database>> openPostgres(llvm::StringRef url);
/// Whether `place` names a PostgreSQL server.
bool isPostgres(llvm::StringRef place);

} // namespace vitc::tune

#endif // VITC_RECORDS_DATABASE_H
