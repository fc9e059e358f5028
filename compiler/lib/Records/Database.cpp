// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/Database.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace vitc;
using namespace vitc::tune;

/// A server that is restarted is back within seconds; one that recovers from a
/// crash takes longer.
constexpr std::chrono::seconds reconnectPatience(60);
/// How often a statement may find its connection lost: it may be what ends the
/// server.
constexpr unsigned mostRepeats = 5;

bool vitc::tune::isPostgres(llvm::StringRef place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

llvm::Expected<std::unique_ptr<Database>>
Database::open(llvm::StringRef place, bool create, WarningHandler warn) {
  llvm::Expected<std::unique_ptr<Database>> database =
      isPostgres(place) ? openPostgres(place) : openSqlite(place, create);
  if (database)
    (*database)->warningHandler = std::move(warn);
  return database;
}

llvm::Error Database::reconnect(llvm::Error cause) {
  using Clock = std::chrono::steady_clock;
  std::string why = llvm::toString(std::move(cause));
  warn(why + "; trying to connect again for " +
       llvm::Twine(reconnectPatience.count()) + " s");
  constexpr std::chrono::milliseconds longest(8000);
  std::chrono::milliseconds pause(250);
  for (Clock::time_point start = Clock::now();
       Clock::now() - start < reconnectPatience;) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest);
    if (connectAgain()) {
      warn(place + ": connected again");
      return llvm::Error::success();
    }
  }
  return userError(why + "; gave up after " +
                   llvm::Twine(reconnectPatience.count()) +
                   " s: when the server is back, `vitc tune --resume` and new "
                   "workers go on where this ended");
}

llvm::Expected<std::vector<Row>>
Database::run(llvm::StringRef statement, llvm::ArrayRef<Field> parameters) {
  for (unsigned repeats = 0;; ++repeats) {
    llvm::Expected<std::vector<Row>> rows = execute(statement, parameters);
    if (rows || inTransaction || isConnected() || repeats == mostRepeats)
      return rows;
    if (llvm::Error error = reconnect(rows.takeError()))
      return error;
  }
}

llvm::Error
Database::tryTransaction(llvm::function_ref<llvm::Error(Database &)> body) {
  if (auto begun = run(beginStatement()); !begun)
    return begun.takeError();
  if (llvm::Error error = body(*this)) {
    // The first error is the one that matters; a lost connection cannot roll
    // back, and need not.
    if (isConnected())
      if (auto undone = run("ROLLBACK"); !undone)
        llvm::consumeError(undone.takeError());
    return error;
  }
  auto committed = run("COMMIT");
  return committed ? llvm::Error::success() : committed.takeError();
}

llvm::Error
Database::transaction(llvm::function_ref<llvm::Error(Database &)> body) {
  for (unsigned repeats = 0;; ++repeats) {
    inTransaction = true;
    llvm::Error error = tryTransaction(body);
    inTransaction = false;
    if (!error || isConnected() || repeats == mostRepeats)
      return error;
    if (llvm::Error lost = reconnect(std::move(error)))
      return lost;
  }
}
