// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// PostgreSQL's client library, loaded when a session is on a server: programs
/// that only compile models start without it.
#ifndef VITC_LIB_RECORDS_LIBPQ_H
#define VITC_LIB_RECORDS_LIBPQ_H

#include "vitc/Support/Error.h"

#include <libpq-fe.h>

namespace vitc::tune {

/// The functions that vitc calls, under their names without PQ.
struct LibPq {
  decltype(&PQconnectdb) connectdb = nullptr;
  decltype(&PQreset) reset = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQerrorMessage) errorMessage = nullptr;
  decltype(&PQsetNoticeProcessor) setNoticeProcessor = nullptr;
  decltype(&PQexecParams) execParams = nullptr;
  decltype(&PQresultStatus) resultStatus = nullptr;
  decltype(&PQresultErrorField) resultErrorField = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQnfields) nfields = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQclear) clear = nullptr;

  /// Loads the library once; it stays until the process ends.
  static llvm::Expected<const LibPq *> load();
};

} // namespace vitc::tune

#endif // VITC_LIB_RECORDS_LIBPQ_H
