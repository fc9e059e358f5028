// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Store.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/Json.h"
#include "vitc/Tune/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <unistd.h>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral outcomeNames[outcomeCount] = {
    "ok", "wrong", "crash", "timeout", "memory", "spill", "invalid"};

llvm::StringRef vitc::tune::outcomeName(Outcome outcome) {
  return outcomeNames[size_t(outcome)];
}

static Outcome parseOutcome(llvm::StringRef name) {
  for (unsigned i = 0; i < outcomeCount; ++i)
    if (outcomeNames[i] == name)
      return Outcome(i);
  return Outcome::Invalid;
}

static llvm::StringRef kindName(TrialKind kind) {
  return kind == TrialKind::Search ? "search" : "confirm";
}

static std::string text(int64_t value) { return std::to_string(value); }
static std::string text(double value) {
  return llvm::formatv("{0:e12}", value).str();
}
static std::string text(const json::Object &object) {
  return llvm::formatv("{0}", json::Value(json::Object(object))).str();
}

/// Reads the fields of a row in their order.
namespace {
class RowReader {
public:
  explicit RowReader(const Row &row) : row(row) {}

  RowReader &operator>>(std::string &value) {
    value = utf8Text(take()); // SQLite keeps any bytes
    return *this;
  }
  RowReader &operator>>(int64_t &value) {
    llvm::StringRef(take()).getAsInteger(10, value);
    return *this;
  }
  RowReader &operator>>(double &value) {
    llvm::StringRef(take()).getAsDouble(value);
    return *this;
  }
  RowReader &operator>>(json::Object &value) {
    llvm::Expected<json::Object> parsed = parseJsonObject("column", take());
    value = parsed ? std::move(*parsed) : unreadable(parsed.takeError());
    return *this;
  }

private:
  std::string take() { return row[next++].value_or(""); }

  const Row &row;
  size_t next = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral tablesVersion = "2";

llvm::Expected<Store> Store::open(llvm::StringRef place, bool create) {
  llvm::Expected<std::unique_ptr<Database>> database =
      Database::open(place, create);
  if (!database)
    return database.takeError();
  Store store(std::move(*database));
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

llvm::Error Store::createTables() {
  return database->transaction([](Database &db) -> llvm::Error {
    // Two that start together must not both make the tables.
    if (isPostgres(db.getPlace()))
      if (auto locked = db.run("SELECT pg_advisory_xact_lock(7681)"); !locked)
        return locked.takeError();
    std::string id = "id " + db.identityColumn().str();
    const std::string statements[] = {
        "CREATE TABLE IF NOT EXISTS vitc_tune (version BIGINT NOT NULL)",
        "INSERT INTO vitc_tune SELECT " + tablesVersion.str() +
            " WHERE NOT EXISTS (SELECT * FROM vitc_tune)",
        "CREATE TABLE IF NOT EXISTS sessions (" + id +
            ", model TEXT NOT NULL, target TEXT NOT NULL, cpu TEXT NOT NULL, "
            "machine TEXT NOT NULL, command TEXT NOT NULL, options TEXT NOT "
            "NULL, threads BIGINT NOT NULL, finished BIGINT NOT NULL DEFAULT "
            "0, created DOUBLE PRECISION NOT NULL, seconds DOUBLE PRECISION "
            "NOT NULL DEFAULT 0)",
        "CREATE TABLE IF NOT EXISTS kernels (" + id +
            ", session BIGINT NOT NULL REFERENCES sessions, key TEXT NOT NULL, "
            "name TEXT NOT NULL, family TEXT NOT NULL, target TEXT NOT NULL, "
            "spec TEXT NOT NULL, calls BIGINT NOT NULL, flops DOUBLE PRECISION "
            "NOT NULL, threads BIGINT NOT NULL, UNIQUE (session, key))",
        "CREATE TABLE IF NOT EXISTS trials (" + id +
            ", session BIGINT NOT NULL REFERENCES sessions, kernel BIGINT NOT "
            "NULL REFERENCES kernels, kind TEXT NOT NULL, backend TEXT NOT "
            "NULL, schedule TEXT NOT NULL, proposer TEXT NOT NULL, state TEXT "
            "NOT NULL, worker TEXT, lease DOUBLE PRECISION, attempts BIGINT "
            "NOT NULL DEFAULT 0, created DOUBLE PRECISION NOT NULL, finished "
            "DOUBLE PRECISION, outcome TEXT, detail TEXT, seconds DOUBLE "
            "PRECISION, warm_seconds DOUBLE PRECISION, rival_seconds DOUBLE "
            "PRECISION, paired_ratio DOUBLE PRECISION, "
            "score DOUBLE PRECISION, noise DOUBLE PRECISION, "
            "compile_seconds DOUBLE PRECISION, peak DOUBLE PRECISION, "
            "backend_version TEXT, "
            "full_schedule TEXT, code TEXT, rival_backend TEXT, "
            "rival_backend_version TEXT, rival_schedule TEXT, rival_code TEXT, "
            "UNIQUE (kernel, kind, backend, schedule))",
        "CREATE INDEX IF NOT EXISTS trials_by_state ON trials (session, state)",
        "CREATE TABLE IF NOT EXISTS records (" + id +
            ", key TEXT NOT NULL, cpu TEXT NOT NULL, backend TEXT NOT NULL, "
            "rival_backend TEXT NOT NULL, line TEXT NOT NULL, UNIQUE (key, "
            "cpu, backend, rival_backend))"};
    for (const std::string &statement : statements)
      if (auto done = db.run(statement); !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Expected<double> Store::now() {
  auto rows = database->run(("SELECT " + database->now()).str());
  if (!rows)
    return rows.takeError();
  double seconds = 0;
  RowReader(rows->front()) >> seconds;
  return seconds;
}

//===----------------------------------------------------------------------===//
// Sessions and kernels
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral sessionColumns =
    "id, model, target, cpu, machine, command, options, threads, finished, "
    "created, seconds";

static SessionRow readSession(const Row &row) {
  SessionRow session;
  int64_t finished = 0;
  RowReader(row) >> session.id >> session.model >> session.target >>
      session.cpu >> session.machine >> session.command >> session.options >>
      session.threads >> finished >> session.created >> session.seconds;
  session.finished = finished != 0;
  return session;
}

llvm::Expected<int64_t> Store::addSession(const SessionRow &session,
                                          std::vector<KernelRow> kernels) {
  int64_t id = 0;
  llvm::Error error = database->transaction([&](Database &db) -> llvm::Error {
    auto made = db.run(
        ("INSERT INTO sessions (model, target, cpu, machine, command, options, "
         "threads, created) VALUES ($1, $2, $3, $4, $5, $6, $7, " +
         db.now() + ") RETURNING id")
            .str(),
        {session.model, session.target, session.cpu, session.machine,
         session.command, text(session.options), text(session.threads)});
    if (!made)
      return made.takeError();
    RowReader(made->front()) >> id;
    for (const KernelRow &kernel : kernels)
      if (auto added = db.run(
              "INSERT INTO kernels (session, key, name, family, target, spec, "
              "calls, flops, threads) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "
              "$9)",
              {text(id), kernel.key, kernel.name, kernel.family, kernel.target,
               text(kernel.spec), text(kernel.calls), text(kernel.flops),
               text(session.threads)});
          !added)
        return added.takeError();
    return llvm::Error::success();
  });
  if (error)
    return error;
  return id;
}

llvm::Expected<std::optional<SessionRow>>
Store::findUnfinished(llvm::StringRef model, llvm::StringRef cpu) {
  auto rows = database->run(
      ("SELECT " + sessionColumns +
       " FROM sessions WHERE finished = 0 AND cpu = $1 AND ($2 = '' OR model = "
       "$2) ORDER BY id DESC LIMIT 1")
          .str(),
      {cpu.str(), model.str()});
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return std::nullopt;
  return readSession(rows->front());
}

llvm::Expected<std::optional<SessionRow>> Store::findLatest() {
  auto rows = database->run(
      ("SELECT " + sessionColumns + " FROM sessions ORDER BY id DESC LIMIT 1")
          .str());
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return std::nullopt;
  return readSession(rows->front());
}

llvm::Expected<SessionRow> Store::getSession(int64_t id) {
  auto rows = database->run(
      ("SELECT " + sessionColumns + " FROM sessions WHERE id = $1").str(),
      {text(id)});
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return userError(getPlace(), "there is no session " + llvm::Twine(id));
  return readSession(rows->front());
}

llvm::Error Store::spend(int64_t session, double seconds) {
  auto done = database->run(
      "UPDATE sessions SET seconds = seconds + CAST($2 AS DOUBLE PRECISION) "
      "WHERE id = $1",
      {text(session), text(seconds)});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Error Store::finish(int64_t session) {
  auto done = database->run("UPDATE sessions SET finished = 1 WHERE id = $1",
                            {text(session)});
  return done ? llvm::Error::success() : done.takeError();
}

static constexpr llvm::StringLiteral kernelColumns =
    "id, key, name, family, target, spec, calls, flops, threads";

static KernelRow readKernel(const Row &row) {
  KernelRow kernel;
  RowReader(row) >> kernel.id >> kernel.key >> kernel.name >> kernel.family >>
      kernel.target >> kernel.spec >> kernel.calls >> kernel.flops >>
      kernel.threads;
  return kernel;
}

llvm::Expected<std::vector<KernelRow>> Store::getKernels(int64_t session) {
  auto rows = database->run(("SELECT " + kernelColumns +
                             " FROM kernels WHERE session = $1 ORDER BY id")
                                .str(),
                            {text(session)});
  if (!rows)
    return rows.takeError();
  std::vector<KernelRow> kernels;
  for (const Row &row : *rows)
    kernels.push_back(readKernel(row));
  return kernels;
}

llvm::Expected<KernelRow> Store::getKernel(int64_t id) {
  auto rows = database->run(
      ("SELECT " + kernelColumns + " FROM kernels WHERE id = $1").str(),
      {text(id)});
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return userError(getPlace(), "there is no kernel " + llvm::Twine(id));
  return readKernel(rows->front());
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral trialColumns =
    "id, kernel, kind, backend, schedule, proposer, state, worker, attempts, "
    "finished, score, outcome, detail, seconds, warm_seconds, rival_seconds, "
    "paired_ratio, noise, compile_seconds, peak, backend_version, "
    "full_schedule, code, rival_backend, rival_backend_version, "
    "rival_schedule, rival_code";

static TrialRow readTrial(const Row &row) {
  TrialRow trial;
  Measurement &result = trial.result;
  std::string kind, outcome;
  RowReader(row) >> trial.id >> trial.kernel >> kind >> trial.backend >>
      trial.schedule >> trial.proposer >> trial.state >> trial.worker >>
      trial.attempts >> trial.finished >> trial.score >> outcome >>
      result.detail >> result.seconds >> result.warmSeconds >>
      result.rivalSeconds >> result.pairedRatio >> result.noise >>
      result.compileSeconds >> result.peak >> result.backendVersion >>
      result.schedule >> result.code >> result.rivalBackend >>
      result.rivalBackendVersion >> result.rivalSchedule >> result.rivalCode;
  trial.kind = kind == "confirm" ? TrialKind::Confirm : TrialKind::Search;
  result.outcome = parseOutcome(outcome);
  return trial;
}

static std::vector<TrialRow> readTrials(const std::vector<Row> &rows) {
  std::vector<TrialRow> trials;
  for (const Row &row : rows)
    trials.push_back(readTrial(row));
  return trials;
}

llvm::Expected<std::vector<TrialRow>> Store::getTrials(int64_t session) {
  auto rows =
      database->run(("SELECT " + trialColumns +
                     " FROM trials WHERE session = $1 ORDER BY finished, id")
                        .str(),
                    {text(session)});
  if (!rows)
    return rows.takeError();
  return readTrials(*rows);
}

llvm::Expected<std::optional<TrialRow>> Store::getBest(int64_t kernel) {
  return getOk(kernel, "score, finished, id");
}

llvm::Expected<std::optional<TrialRow>> Store::getAnchor(int64_t kernel) {
  return getOk(kernel, "finished, id");
}

llvm::Expected<std::optional<TrialRow>> Store::getOk(int64_t kernel,
                                                     llvm::StringRef order) {
  auto rows = database->run(("SELECT " + trialColumns +
                             " FROM trials WHERE kernel = $1 AND kind = "
                             "'search' AND outcome = 'ok' ORDER BY " +
                             order + " LIMIT 1")
                                .str(),
                            {text(kernel)});
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    return std::nullopt;
  return readTrial(rows->front());
}

llvm::Expected<unsigned> Store::addTrials(int64_t kernel, TrialKind kind,
                                          std::vector<TrialRow> trials) {
  unsigned added = 0;
  llvm::Error error = database->transaction([&](Database &db) -> llvm::Error {
    for (const TrialRow &trial : trials) {
      auto rows = db.run(
          ("INSERT INTO trials (session, kernel, kind, backend, schedule, "
           "proposer, rival_backend, state, created) SELECT session, id, $2, "
           "$3, $4, $5, $6, 'queued', " +
           db.now() +
           " FROM kernels WHERE id = $1 ON CONFLICT (kernel, kind, backend, "
           "schedule) DO NOTHING RETURNING id")
              .str(),
          {text(kernel), kindName(kind).str(), trial.backend,
           text(trial.schedule), trial.proposer, trial.result.rivalBackend});
      if (!rows)
        return rows.takeError();
      added += rows->size();
    }
    return llvm::Error::success();
  });
  if (error)
    return error;
  return added;
}

llvm::Expected<std::vector<TrialRow>>
Store::claim(llvm::StringRef worker, llvm::StringRef cpu, int64_t session,
             unsigned count, double leaseSeconds) {
  std::vector<TrialRow> trials;
  llvm::Error error = database->transaction([&](Database &db) -> llvm::Error {
    // One kernel's trials share inputs and reference, so they go together.
    auto first = db.run(
        "SELECT t.kernel FROM trials t JOIN sessions s ON s.id = t.session "
        "WHERE t.state = 'queued' AND s.cpu = $1 AND ($2 = '0' OR CAST(s.id AS "
        "TEXT) = $2) ORDER BY t.id LIMIT 1",
        {cpu.str(), text(session)});
    if (!first)
      return first.takeError();
    if (first->empty())
      return llvm::Error::success();
    auto rows = db.run(
        ("UPDATE trials SET state = 'running', worker = $1, lease = CAST($2 AS "
         "DOUBLE PRECISION) + " +
         db.now() +
         " WHERE id IN (SELECT id FROM trials WHERE kernel = $3 AND state = "
         "'queued' ORDER BY id LIMIT CAST($4 AS BIGINT)" +
         db.lockRows() + ") RETURNING " + trialColumns)
            .str(),
        {worker.str(), text(leaseSeconds), first->front()[0],
         text(int64_t(count))});
    if (!rows)
      return rows.takeError();
    trials = readTrials(*rows);
    return llvm::Error::success();
  });
  if (error)
    return error;
  llvm::sort(trials,
             [](const TrialRow &a, const TrialRow &b) { return a.id < b.id; });
  return trials;
}

llvm::Expected<bool> Store::begin(const TrialRow &trial, llvm::StringRef worker,
                                  double leaseSeconds) {
  auto rows = database->run(
      ("UPDATE trials SET attempts = attempts + 1, lease = CAST($3 AS DOUBLE "
       "PRECISION) + " +
       database->now() +
       " WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING id")
          .str(),
      {text(trial.id), worker.str(), text(leaseSeconds)});
  if (!rows)
    return rows.takeError();
  return !rows->empty();
}

llvm::Error Store::renew(llvm::StringRef worker, double leaseSeconds) {
  auto done = database->run(
      ("UPDATE trials SET lease = CAST($2 AS DOUBLE PRECISION) + " +
       database->now() + " WHERE worker = $1 AND state = 'running'")
          .str(),
      {worker.str(), text(leaseSeconds)});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Error Store::giveBack(llvm::StringRef worker) {
  auto done = database->run("UPDATE trials SET state = 'queued', worker = "
                            "NULL, lease = NULL WHERE worker = $1 AND state = "
                            "'running'",
                            {worker.str()});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Expected<bool> Store::complete(const TrialRow &trial,
                                     llvm::StringRef worker) {
  const Measurement &result = trial.result;
  auto number = [&](double value) {
    return result.outcome == Outcome::Ok ? Field(text(value)) : Field();
  };
  auto rows = database->run(
      ("UPDATE trials SET state = 'done', lease = NULL, finished = " +
       database->now() +
       ", outcome = $3, detail = $4, seconds = $5, warm_seconds = $6, "
       "rival_seconds = $7, score = $8, noise = $9, compile_seconds = $10, "
       "peak = $11, backend_version = $12, full_schedule = $13, paired_ratio "
       "= $14, code = $15, rival_backend = $16, rival_backend_version = $17, "
       "rival_schedule = $18, rival_code = $19 WHERE id = $1 AND worker = $2 "
       "AND state = 'running' RETURNING id")
          .str(),
      {text(trial.id), worker.str(), outcomeName(result.outcome).str(),
       result.detail, number(result.seconds), number(result.warmSeconds),
       number(result.rivalSeconds), number(trial.score), number(result.noise),
       text(result.compileSeconds), text(result.peak), result.backendVersion,
       text(result.schedule), number(result.pairedRatio), result.code,
       result.rivalBackend, result.rivalBackendVersion,
       text(result.rivalSchedule), result.rivalCode});
  if (!rows)
    return rows.takeError();
  return !rows->empty();
}

/// Seconds since boot at which a process started, in the kernel's ticks; empty
/// if there is no such process. Tells it from a later one of the same number.
static std::string startOf(llvm::StringRef process) {
  auto buffer =
      llvm::MemoryBuffer::getFileAsStream("/proc/" + process + "/stat");
  if (!buffer)
    return "";
  // The name, in parentheses, may hold anything; 20 fields on is the start.
  llvm::SmallVector<llvm::StringRef> fields;
  (*buffer)->getBuffer().rsplit(')').second.trim().split(fields, ' ');
  return fields.size() > 19 ? fields[19].str() : "";
}

std::string vitc::tune::workerName() {
  std::string process = std::to_string(getpid());
  return thisMachine().host + ":" + process + ":" + startOf(process);
}

bool vitc::tune::mayBeRunning(llvm::StringRef worker) {
  llvm::SmallVector<llvm::StringRef> parts;
  worker.split(parts, ':');
  return parts.size() != 3 || parts[0] != thisMachine().host ||
         startOf(parts[1]) == parts[2];
}

llvm::Expected<unsigned> Store::reclaim(int64_t session) {
  unsigned lost = 0;
  llvm::Error error = database->transaction([&](Database &db) -> llvm::Error {
    auto rows = db.run(
        ("SELECT id, worker, CASE WHEN lease < " + db.now() +
         " THEN 1 ELSE 0 END, attempts FROM trials WHERE session = $1 AND "
         "state = 'running'" +
         db.lockRows())
            .str(),
        {text(session)});
    if (!rows)
      return rows.takeError();
    for (const Row &row : *rows) {
      int64_t id = 0, isOver = 0, attempts = 0;
      std::string worker;
      RowReader(row) >> id >> worker >> isOver >> attempts;
      if (!isOver && mayBeRunning(worker))
        continue;
      ++lost;
      auto changed =
          attempts < 2
              ? db.run("UPDATE trials SET state = 'queued', worker = NULL, "
                       "lease = NULL WHERE id = $1",
                       {text(id)})
              : db.run(("UPDATE trials SET state = 'done', lease = NULL, "
                        "outcome = 'crash', detail = 'two workers were lost "
                        "over it', finished = " +
                        db.now() + " WHERE id = $1")
                           .str(),
                       {text(id)});
      if (!changed)
        return changed.takeError();
    }
    return llvm::Error::success();
  });
  if (error)
    return error;
  return lost;
}

llvm::Error Store::cancelQueued(int64_t session) {
  auto done = database->run("UPDATE trials SET state = 'cancelled' WHERE "
                            "session = $1 AND state = 'queued'",
                            {text(session)});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Expected<unsigned> Store::countOpen(int64_t session) {
  auto rows = database->run("SELECT count(*) FROM trials WHERE session = $1 "
                            "AND state IN ('queued', 'running')",
                            {text(session)});
  if (!rows)
    return rows.takeError();
  int64_t count = 0;
  RowReader(rows->front()) >> count;
  return unsigned(count);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

llvm::Error Store::addRecords(llvm::ArrayRef<Record> records) {
  return database->transaction([&](Database &db) -> llvm::Error {
    for (const Record &record : records)
      if (auto done = db.run(
              "INSERT INTO records (key, cpu, backend, rival_backend, line) "
              "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key, cpu, backend, "
              "rival_backend) DO UPDATE SET line = excluded.line",
              {record.key(), record.cpu, record.backend, record.rival.backend,
               record.toLine()});
          !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Error Store::removeRecords(llvm::ArrayRef<Record> records) {
  return database->transaction([&](Database &db) -> llvm::Error {
    for (const Record &record : records)
      if (auto done = db.run(
              "DELETE FROM records WHERE key = $1 AND cpu = $2 AND backend = "
              "$3 AND rival_backend = $4",
              {record.key(), record.cpu, record.backend, record.rival.backend});
          !done)
        return done.takeError();
    return llvm::Error::success();
  });
}

llvm::Expected<std::vector<Record>>
Store::getRecords(std::vector<std::string> &warnings) {
  auto rows = database->run("SELECT line, id FROM records ORDER BY id");
  if (!rows)
    return rows.takeError();
  std::vector<Record> records;
  for (const Row &row : *rows) {
    llvm::Expected<Record> record = parseRecord(
        getPlace() + ": record " + row[1].value_or(""), row[0].value_or(""));
    if (!record) {
      // One damaged row does not make the others useless.
      warnings.push_back(llvm::toString(record.takeError()) +
                         "; the record is left out");
      continue;
    }
    record->place = getPlace();
    records.push_back(std::move(*record));
  }
  return records;
}
