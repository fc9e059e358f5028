// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// In place of PostgresDatabase.cpp where vitc is built without libpq.
#include "vitc/Records/Database.h"

using namespace vitc;
using namespace vitc::tune;

llvm::Expected<std::unique_ptr<Database>>
vitc::tune::openPostgres(llvm::StringRef url) {
  return userError("postgresql:// needs a vitc that is built with PostgreSQL's "
                   "client library, and this one is not: install libpq-dev "
                   "and build vitc again with -DVITC_WITH_POSTGRESQL=ON, or "
                   "give a file, which needs no server");
}
