// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibPq.h"

#include <dlfcn.h>

using namespace vitc;
using namespace vitc::tune;

llvm::Expected<const LibPq *> LibPq::load() {
  static LibPq library;
  if (library.clear)
    return &library;
  // The version of its interface since 2008.
  constexpr const char *file = "libpq.so.5";
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return userError("databases on PostgreSQL servers need " +
                     llvm::StringRef(file) +
                     ", Debian's package libpq5: " + dlerror());
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(handle, name);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
    if (!address)
      missing = name;
  };
  LibPq found;
  find(found.connectdb, "PQconnectdb");
  find(found.reset, "PQreset");
  find(found.finish, "PQfinish");
  find(found.status, "PQstatus");
  find(found.errorMessage, "PQerrorMessage");
  find(found.setNoticeProcessor, "PQsetNoticeProcessor");
  find(found.execParams, "PQexecParams");
  find(found.resultStatus, "PQresultStatus");
  find(found.resultErrorField, "PQresultErrorField");
  find(found.ntuples, "PQntuples");
  find(found.nfields, "PQnfields");
  find(found.getisnull, "PQgetisnull");
  find(found.getvalue, "PQgetvalue");
  find(found.clear, "PQclear");
  if (missing)
    return userError(file, "there is no " + llvm::Twine(missing) + " in it");
  library = found;
  return &library;
}
