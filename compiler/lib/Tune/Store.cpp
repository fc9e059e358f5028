// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tables, sessions and kernels; StoreTrials.cpp has the trials.
#include "vitc/Tune/Store.h"

#include "RowText.h"
#include "TrialColumns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

llvm::Expected<Store> Store::open(llvm::StringRef place, bool create,
                                  WarningHandler warn) {
  llvm::Expected<RecordStore> records =
      RecordStore::open(place, create, std::move(warn));
  if (!records)
    return records.takeError();
  Store store(std::move(*records));
  if (create)
    if (llvm::Error error = store.createTables())
      return error;
  return store;
}

llvm::Error Store::createTables() {
  std::string identity = database().identityColumn().str();
  return makeTables(
      database(),
      {"CREATE TABLE IF NOT EXISTS sessions (id " + identity +
           ", model TEXT NOT NULL, target TEXT NOT NULL, cpu TEXT NOT NULL, "
           "machine TEXT NOT NULL, command TEXT NOT NULL, options TEXT NOT "
           "NULL, threads BIGINT NOT NULL, finished BIGINT NOT NULL DEFAULT 0, "
           "exhausted BIGINT NOT NULL DEFAULT 0, created DOUBLE PRECISION NOT "
           "NULL, seconds DOUBLE PRECISION NOT NULL DEFAULT 0)",
       "CREATE TABLE IF NOT EXISTS kernels (id " + identity +
           ", session BIGINT NOT NULL REFERENCES sessions, key TEXT NOT NULL, "
           "name TEXT NOT NULL, family TEXT NOT NULL, target TEXT NOT NULL, "
           "spec TEXT NOT NULL, calls BIGINT NOT NULL, flops DOUBLE PRECISION "
           "NOT NULL, threads BIGINT NOT NULL, UNIQUE (session, key))",
       // `stage` is what the worker does with a running trial; `losses` says
       // how many were lost over it, and `suspects` names those that were being
       // compiled together when one was.
       "CREATE TABLE IF NOT EXISTS trials (" +
           trialColumnDefinitions(identity) +
           ", session BIGINT NOT NULL REFERENCES sessions, created DOUBLE "
           "PRECISION NOT NULL, lease DOUBLE PRECISION, lease_seconds DOUBLE "
           "PRECISION, stage TEXT, losses BIGINT NOT NULL DEFAULT 0, suspects "
           "TEXT, UNIQUE (kernel, kind, backend, schedule))",
       "CREATE INDEX IF NOT EXISTS trials_by_state ON trials (session, "
       "state)"});
}

llvm::Expected<double> Store::now() {
  auto rows = database().run(("SELECT " + database().now()).str());
  if (!rows)
    return rows.takeError();
  return readOne<double>(*rows);
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral sessionColumns =
    "id, model, target, cpu, machine, command, options, threads, finished, "
    "exhausted, created, seconds";

static llvm::Expected<SessionRow> readSession(llvm::StringRef place,
                                              const Row &row) {
  SessionRow session;
  RowReader reader(row);
  reader.read("id", session.id);
  reader.read("model", session.model);
  reader.read("target", session.target);
  reader.read("cpu", session.cpu);
  reader.read("machine", session.machine);
  reader.read("command", session.command);
  reader.read("options", session.options);
  reader.read("threads", session.threads);
  reader.read("finished", session.finished);
  reader.read("exhausted", session.exhausted);
  reader.read("created", session.created);
  reader.read("seconds", session.seconds);
  if (!reader.getComplaint().empty())
    return userError(place, "session " + llvm::Twine(session.id) + ": " +
                                reader.getComplaint());
  return session;
}

llvm::Expected<int64_t> Store::addSession(const SessionRow &session,
                                          std::vector<KernelRow> kernels) {
  int64_t id = 0;
  llvm::Error error = database().transaction([&](Database &db) -> llvm::Error {
    auto made = db.run(
        ("INSERT INTO sessions (model, target, cpu, machine, command, options, "
         "threads, created) VALUES ($1, $2, $3, $4, $5, $6, $7, " +
         db.now() + ") RETURNING id")
            .str(),
        {session.model, session.target, session.cpu, session.machine,
         session.command, toText(session.options), toText(session.threads)});
    if (!made)
      return made.takeError();
    id = readOne<int64_t>(*made);
    for (const KernelRow &kernel : kernels)
      if (auto added = db.run(
              "INSERT INTO kernels (session, key, name, family, target, spec, "
              "calls, flops, threads) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "
              "$9)",
              {toText(id), kernel.key, kernel.name, kernel.family,
               kernel.target, toText(kernel.spec), toText(kernel.calls),
               toText(kernel.flops), toText(session.threads)});
          !added)
        return added.takeError();
    return llvm::Error::success();
  });
  if (error)
    return error;
  return id;
}

llvm::Expected<std::optional<SessionRow>>
Store::findSession(llvm::StringRef condition,
                   llvm::ArrayRef<Field> parameters) {
  auto rows = database().run(("SELECT " + sessionColumns + " FROM sessions " +
                              condition + " ORDER BY id DESC LIMIT 1")
                                 .str(),
                             parameters);
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return std::nullopt;
  return readSession(getPlace(), rows->front());
}

llvm::Expected<std::optional<SessionRow>>
Store::findUnfinished(llvm::StringRef model, llvm::StringRef cpu) {
  return findSession(
      "WHERE finished = 0 AND cpu = $1 AND ($2 = '' OR model = $2)",
      {cpu.str(), model.str()});
}

llvm::Expected<std::optional<SessionRow>> Store::findLatest() {
  return findSession("", {});
}

llvm::Expected<SessionRow> Store::getSession(int64_t id) {
  auto found = findSession("WHERE id = $1", {toText(id)});
  if (!found)
    return found.takeError();
  if (!*found)
    return userError(getPlace(), "there is no session " + llvm::Twine(id));
  return std::move(**found);
}

llvm::Error Store::spend(int64_t session, double seconds) {
  auto done = database().run(
      "UPDATE sessions SET seconds = seconds + CAST($2 AS DOUBLE PRECISION) "
      "WHERE id = $1",
      {toText(session), toText(seconds)});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Error Store::finish(int64_t session, bool exhausted) {
  auto done = database().run(
      "UPDATE sessions SET finished = 1, exhausted = CAST($2 AS BIGINT) WHERE "
      "id = $1",
      {toText(session), exhausted ? "1" : "0"});
  return done ? llvm::Error::success() : done.takeError();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kernelColumns =
    "id, key, name, family, target, spec, calls, flops, threads";

/// The name is a C function's, which an adapter defines and a candidate is
/// called by.
static bool isKernelName(llvm::StringRef name) {
  constexpr size_t longest = 200;
  return !name.empty() && name.size() <= longest && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static KernelRow readKernel(const Row &row) {
  KernelRow kernel;
  RowReader reader(row);
  reader.read("id", kernel.id);
  reader.read("key", kernel.key);
  reader.read("name", kernel.name);
  reader.read("family", kernel.family);
  reader.read("target", kernel.target);
  reader.read("spec", kernel.spec);
  reader.read("calls", kernel.calls);
  reader.read("flops", kernel.flops);
  reader.read("threads", kernel.threads);
  if (!isKernelName(kernel.name))
    reader.complain("name must be an identifier, found " +
                    inQuotes(kernel.name));
  if (kernel.threads < 1 || kernel.threads > mostThreads)
    reader.complain("threads must be from 1 to " + llvm::Twine(mostThreads) +
                    ", found " + llvm::Twine(kernel.threads));
  if (kernel.key != kernelKey(kernel.family, kernel.spec, kernel.target))
    reader.complain("key is not that of the family, the specification and the "
                    "target");
  if (!reader.getComplaint().empty())
    kernel.complaint = "kernel " + std::to_string(kernel.id) +
                       " cannot be used: " + reader.getComplaint();
  return kernel;
}

llvm::Expected<std::vector<KernelRow>> Store::getKernels(int64_t session) {
  auto rows = database().run(("SELECT " + kernelColumns +
                              " FROM kernels WHERE session = $1 ORDER BY id")
                                 .str(),
                             {toText(session)});
  if (!rows)
    return rows.takeError();
  std::vector<KernelRow> kernels;
  for (const Row &row : *rows) {
    KernelRow kernel = readKernel(row);
    if (kernel.complaint.empty())
      kernels.push_back(std::move(kernel));
    else
      database().warn(getPlace() + ": " + kernel.complaint);
  }
  return kernels;
}

llvm::Expected<KernelRow> Store::getKernel(int64_t id) {
  auto rows = database().run(
      ("SELECT " + kernelColumns + " FROM kernels WHERE id = $1").str(),
      {toText(id)});
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return userError(getPlace(), "there is no kernel " + llvm::Twine(id));
  return readKernel(rows->front());
}
