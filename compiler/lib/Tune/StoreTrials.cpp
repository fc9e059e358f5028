// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The trials of a store: queue, claims, leases, results.
#include "vitc/Tune/Store.h"

#include "TrialColumns.h"

#include "vitc/Tune/WorkerIdentity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace vitc;
using namespace vitc::tune;

namespace {

/// The parameters of a statement, numbered as they are added.
class Parameters {
public:
  /// Its place in the statement: "$3".
  std::string add(Field value) {
    values.push_back(std::move(value));
    return "$" + std::to_string(values.size());
  }
  /// "($1, $2)". A list of nothing matches nothing.
  std::string addList(llvm::ArrayRef<std::string> list) {
    std::string text;
    for (const std::string &value : list)
      text += (text.empty() ? "" : ", ") + add(value);
    return "(" + (text.empty() ? "NULL" : text) + ")";
  }
  operator llvm::ArrayRef<Field>() const { return values; }

private:
  std::vector<Field> values;
};

} // namespace

static std::vector<TrialRow> readTrials(const std::vector<Row> &rows) {
  std::vector<TrialRow> trials;
  for (const Row &row : rows)
    trials.push_back(readTrial(row));
  return trials;
}

llvm::Expected<std::vector<TrialRow>> Store::getTrials(int64_t session) {
  auto rows =
      database().run("SELECT " + trialColumnNames() +
                         " FROM trials WHERE session = $1 ORDER BY finished, "
                         "id",
                     {toText(session)});
  if (!rows)
    return rows.takeError();
  return readTrials(*rows);
}

llvm::Expected<unsigned> Store::countOpen(int64_t session) {
  auto rows = database().run("SELECT count(*) FROM trials WHERE session = $1 "
                             "AND state IN ('queued', 'running')",
                             {toText(session)});
  if (!rows)
    return rows.takeError();
  return unsigned(readOne<int64_t>(*rows));
}

//===----------------------------------------------------------------------===//
// Results so far
//===----------------------------------------------------------------------===//

/// Ends a trial that cannot be measured.
static llvm::Error endTrial(Database &db, int64_t id, Outcome outcome,
                            llvm::StringRef detail) {
  auto done = db.run(
      ("UPDATE trials SET state = 'done', lease = NULL, outcome = $2, detail = "
       "$3, finished = " +
       db.now() + " WHERE id = $1")
          .str(),
      {toText(id), toText(outcome), detail.str()});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Expected<std::optional<TrialRow>>
Store::getBest(int64_t kernel, llvm::ArrayRef<std::string> backends) {
  return getOk(kernel, backends, "score, finished, id");
}

llvm::Expected<std::optional<TrialRow>>
Store::getAnchor(int64_t kernel, llvm::ArrayRef<std::string> backends) {
  return getOk(kernel, backends, "finished, id");
}

llvm::Expected<std::optional<TrialRow>>
Store::getOk(int64_t kernel, llvm::ArrayRef<std::string> backends,
             llvm::StringRef order) {
  Parameters parameters;
  std::string statement =
      "SELECT " + trialColumnNames() +
      " FROM trials WHERE kernel = " + parameters.add(toText(kernel)) +
      " AND kind = 'search' AND state = 'done' AND outcome = 'ok' AND backend "
      "IN " +
      parameters.addList(backends) + " ORDER BY " + order.str() + " LIMIT 1";
  for (;;) {
    auto rows = database().run(statement, parameters);
    if (!rows)
      return rows.takeError();
    if (rows->empty())
      return std::nullopt;
    TrialRow trial = readTrial(rows->front());
    if (trial.complaint.empty())
      return trial;
    // Nothing is compared with a result that nobody can repeat.
    if (llvm::Error error =
            endTrial(database(), trial.id, Outcome::Invalid, trial.complaint))
      return error;
  }
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

llvm::Expected<unsigned> Store::addTrials(int64_t kernel,
                                          std::vector<TrialRow> trials) {
  unsigned added = 0;
  llvm::Error error = database().transaction([&](Database &db) -> llvm::Error {
    added = 0;
    for (const TrialRow &trial : trials) {
      ColumnValues columns = queuedColumns(trial);
      Parameters parameters;
      std::string id = parameters.add(toText(kernel)), places;
      for (Field &value : columns.values)
        places += parameters.add(std::move(value)) + ", ";
      auto rows = db.run(
          "INSERT INTO trials (session, kernel, " +
              llvm::join(columns.names, ", ") +
              ", state, created) SELECT session, id, " + places + "'queued', " +
              db.now().str() + " FROM kernels WHERE id = " + id +
              " ON CONFLICT (kernel, kind, backend, schedule) DO UPDATE SET "
              "state = 'queued', proposer = excluded.proposer WHERE "
              "trials.state = 'cancelled' RETURNING id",
          parameters);
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

llvm::Error Store::cancelQueued(int64_t session) {
  auto done = database().run("UPDATE trials SET state = 'cancelled' WHERE "
                             "session = $1 AND state = 'queued'",
                             {toText(session)});
  return done ? llvm::Error::success() : done.takeError();
}

/// Which trials `t` a worker can compile.
static std::string fitCondition(const Capabilities &capabilities,
                                Parameters &parameters) {
  std::string backends = parameters.addList(capabilities.backends);
  return "t.backend IN " + backends +
         " AND (t.kind <> 'confirm' OR t.baseline_backend IN " + backends + ")";
}

/// Which of kernels `k` it can run, too.
static std::string fitKernelCondition(const Capabilities &capabilities,
                                      Parameters &parameters) {
  return fitCondition(capabilities, parameters) + " AND k.target IN " +
         parameters.addList(capabilities.targets);
}

llvm::Expected<unsigned> Store::cancelUnfit(int64_t session,
                                            const Capabilities &capabilities) {
  Parameters parameters;
  std::string id = parameters.add(toText(session));
  std::string statement =
      "UPDATE trials SET state = 'cancelled' WHERE session = " + id +
      " AND state = 'queued' AND id NOT IN (SELECT t.id FROM trials t JOIN "
      "kernels k ON k.id = t.kernel WHERE " +
      fitKernelCondition(capabilities, parameters) + ") RETURNING id";
  auto rows = database().run(statement, parameters);
  if (!rows)
    return rows.takeError();
  return unsigned(rows->size());
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<TrialRow>>
Store::claim(llvm::StringRef worker, const Capabilities &capabilities,
             int64_t session, unsigned count, double leaseSeconds) {
  std::vector<TrialRow> trials;
  llvm::Error error = database().transaction([&](Database &db) -> llvm::Error {
    trials.clear();
    // A claim that was lost with its connection may have been made all the
    // same. Nobody works on those.
    if (auto back = db.run("UPDATE trials SET state = 'queued', worker = NULL, "
                           "lease = NULL WHERE worker = $1 AND state = "
                           "'running'",
                           {worker.str()});
        !back)
      return back.takeError();
    // One kernel's trials share inputs and reference, so they go together.
    Parameters first;
    std::string sessionId = first.add(toText(session));
    std::string query =
        "SELECT t.kernel, t.losses FROM trials t JOIN sessions s ON s.id = "
        "t.session JOIN kernels k ON k.id = t.kernel WHERE t.state = 'queued' "
        "AND s.cpu = " +
        first.add(capabilities.cpu) + " AND (" + sessionId +
        " = '0' OR CAST(s.id AS TEXT) = " + sessionId + ") AND " +
        fitKernelCondition(capabilities, first) + " ORDER BY t.id LIMIT 1";
    auto found = db.run(query, first);
    if (!found)
      return found.takeError();
    if (found->empty())
      return llvm::Error::success();
    int64_t kernel = 0;
    bool isAlone = false; // a worker was lost over it
    RowReader reader(found->front());
    reader.read("kernel", kernel);
    reader.read("losses", isAlone);
    Parameters second;
    std::string length = second.add(toText(leaseSeconds));
    std::string update =
        "UPDATE trials SET state = 'running', stage = 'compiling', worker = " +
        second.add(worker.str()) + ", lease_seconds = CAST(" + length +
        " AS DOUBLE PRECISION), lease = CAST(" + length +
        " AS DOUBLE PRECISION) + " + db.now().str() +
        " WHERE id IN (SELECT t.id FROM trials t WHERE t.kernel = " +
        second.add(toText(kernel)) + " AND t.state = 'queued' AND " +
        (isAlone ? "t.losses > 0" : "t.losses = 0") + " AND " +
        fitCondition(capabilities, second) + " ORDER BY t.id LIMIT CAST(" +
        second.add(toText(int64_t(isAlone ? 1 : count))) + " AS BIGINT)" +
        db.lockRows().str() + ") RETURNING " + trialColumnNames();
    auto rows = db.run(update, second);
    if (!rows)
      return rows.takeError();
    for (TrialRow &trial : readTrials(*rows))
      if (trial.complaint.empty())
        trials.push_back(std::move(trial));
      else if (llvm::Error failed =
                   endTrial(db, trial.id, Outcome::Invalid, trial.complaint))
        return failed;
    return llvm::Error::success();
  });
  if (error)
    return error;
  llvm::sort(trials,
             [](const TrialRow &a, const TrialRow &b) { return a.id < b.id; });
  return trials;
}

llvm::Error Store::setCompiled(llvm::StringRef worker, double leaseSeconds) {
  auto done = database().run("UPDATE trials SET stage = 'waiting' WHERE worker "
                             "= $1 AND state = 'running'",
                             {worker.str()});
  return done ? renew(worker, leaseSeconds) : done.takeError();
}

llvm::Expected<bool> Store::begin(const TrialRow &trial, llvm::StringRef worker,
                                  double leaseSeconds) {
  auto rows = database().run(
      ("UPDATE trials SET stage = 'measuring', attempts = attempts + 1, lease "
       "= CAST($3 AS DOUBLE PRECISION) + " +
       database().now() +
       " WHERE id = $1 AND worker = $2 AND state = 'running' RETURNING id")
          .str(),
      {toText(trial.id), worker.str(), toText(leaseSeconds)});
  if (!rows)
    return rows.takeError();
  return !rows->empty();
}

llvm::Error Store::renew(llvm::StringRef worker, double leaseSeconds) {
  auto done = database().run(
      ("UPDATE trials SET lease = CAST($2 AS DOUBLE PRECISION) + " +
       database().now() + " WHERE worker = $1 AND state = 'running'")
          .str(),
      {worker.str(), toText(leaseSeconds)});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Error Store::giveBack(llvm::StringRef worker) {
  auto done = database().run("UPDATE trials SET state = 'queued', worker = "
                             "NULL, lease = NULL WHERE worker = $1 AND state = "
                             "'running'",
                             {worker.str()});
  return done ? llvm::Error::success() : done.takeError();
}

llvm::Expected<bool> Store::complete(const TrialRow &trial,
                                     llvm::StringRef worker) {
  ColumnValues columns = resultColumns(trial);
  Parameters parameters;
  std::string statement =
      "UPDATE trials SET state = 'done', lease = NULL, finished = " +
      database().now().str();
  for (auto [name, value] : llvm::zip(columns.names, columns.values))
    statement += ", " + name + " = " + parameters.add(std::move(value));
  statement += " WHERE id = " + parameters.add(toText(trial.id)) +
               " AND worker = " + parameters.add(worker.str()) +
               " AND state = 'running' RETURNING id";
  auto rows = database().run(statement, parameters);
  if (!rows)
    return rows.takeError();
  return !rows->empty();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

namespace {

/// A running trial whose worker may be lost.
struct Held {
  int64_t id = 0, losses = 0;
  std::string worker, stage, suspects;
  bool isOver = false; ///< its lease

  explicit Held(const Row &row) {
    RowReader reader(row);
    reader.read("id", id);
    reader.read("worker", worker);
    reader.read("over", isOver);
    reader.read("stage", stage);
    reader.read("losses", losses);
    reader.read("suspects", suspects);
  }
};

} // namespace

/// Puts a lost trial back into the queue, or ends it.
static llvm::Error loseTrial(Database &db, const Held &held,
                             unsigned compiledTogether) {
  // Those that waited for their turn did nothing to the worker.
  if (held.stage == "waiting") {
    auto back = db.run("UPDATE trials SET state = 'queued', worker = NULL, "
                       "lease = NULL WHERE id = $1",
                       {toText(held.id)});
    return back ? llvm::Error::success() : back.takeError();
  }
  // Of several that were compiled together any may be the one. From now on each
  // is compiled alone; the first that ends a worker again is it.
  bool isSuspect = held.stage == "compiling" && compiledTogether > 1;
  if (held.losses == 0) {
    auto back =
        db.run("UPDATE trials SET state = 'queued', worker = NULL, "
               "lease = NULL, losses = 1, suspects = $2 WHERE id = $1",
               {toText(held.id), isSuspect ? Field(held.worker) : Field()});
    return back ? llvm::Error::success() : back.takeError();
  }
  if (llvm::Error error = endTrial(db, held.id, Outcome::Crash,
                                   "two workers were lost over it"))
    return error;
  if (held.suspects.empty())
    return llvm::Error::success();
  auto cleared = db.run("UPDATE trials SET losses = 0, suspects = NULL WHERE "
                        "suspects = $1 AND state = 'queued'",
                        {held.suspects});
  return cleared ? llvm::Error::success() : cleared.takeError();
}

llvm::Expected<unsigned> Store::reclaim(int64_t session, double leaseSeconds) {
  unsigned lost = 0;
  llvm::Error error = database().transaction([&](Database &db) -> llvm::Error {
    lost = 0;
    // A lease that ends later than one made just now was made before the
    // clock was set back. Twice its length leaves room for small steps.
    std::string now = db.now().str();
    auto rows = db.run(
        "SELECT id, worker, CASE WHEN lease >= " + now +
            " AND lease <= " + now +
            " + 2 * COALESCE(lease_seconds, CAST($2 AS DOUBLE PRECISION)) THEN "
            "0 ELSE 1 END, stage, losses, suspects FROM trials WHERE session = "
            "$1 AND state = 'running'" +
            db.lockRows().str(),
        {toText(session), toText(leaseSeconds)});
    if (!rows)
      return rows.takeError();
    std::vector<Held> gone;
    std::map<std::string, unsigned> compiling;
    for (const Row &row : *rows) {
      Held held(row);
      if (!held.isOver && mayBeRunning(held.worker))
        continue;
      compiling[held.worker] += held.stage == "compiling";
      gone.push_back(std::move(held));
    }
    lost = gone.size();
    for (const Held &held : gone)
      if (llvm::Error failed = loseTrial(db, held, compiling[held.worker]))
        return failed;
    return llvm::Error::success();
  });
  if (error)
    return error;
  return lost;
}
