// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Database.h"

using namespace vitc;
using namespace vitc::tune;

bool vitc::tune::isPostgres(llvm::StringRef place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

llvm::Expected<std::unique_ptr<Database>> Database::open(llvm::StringRef place,
                                                         bool create) {
  return isPostgres(place) ? openPostgres(place) : openSqlite(place, create);
}

llvm::Error
Database::transaction(llvm::function_ref<llvm::Error(Database &)> body) {
  if (auto begun = run(beginStatement()); !begun)
    return begun.takeError();
  if (llvm::Error error = body(*this)) {
    // The first error is the one that matters; a lost connection cannot roll
    // back, and need not.
    if (auto undone = run("ROLLBACK"); !undone)
      llvm::consumeError(undone.takeError());
    return error;
  }
  auto committed = run("COMMIT");
  return committed ? llvm::Error::success() : committed.takeError();
}
