// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc worker`: measures trials of tuning sessions that run elsewhere.
#include "Commands.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "vitc/Records/Machine.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/Tune/Session.h"

using namespace vitc;
using namespace vitc::tool;

llvm::Error vitc::tool::workerCommand(const Invocation &invocation) {
  std::string database;
  std::optional<double> idleSeconds, lease;
  bool quiet = false;
  Options options("worker", "--db URL [options]",
                  "Measures trials of tuning sessions that other machines "
                  "coordinate (`vitc tune --coordinate`). Any number of "
                  "workers may share a database; each takes trials for its own "
                  "CPU. One that dies loses nothing.");
  options.text("db", "URL", database,
               "the sessions' database: postgresql://…, or a file");
  options.number("idle", "SECONDS", idleSeconds,
                 "end after so long without work (default: wait for ever)");
  options.number("lease", "SECONDS", lease,
                 "when a claimed trial counts as lost (default 120)");
  options.flag("quiet,q", quiet, "print only warnings and errors");
  options.example("vitc worker --db postgresql://tune@server/tune --idle 600",
                  "until there was nothing to do for ten minutes");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (database.empty())
    return userError("vitc worker needs --db: the database of the sessions");
  auto installation = Installation::find(invocation.program);
  if (!installation)
    return installation.takeError();
  auto store = tune::Store::open(database, /*create=*/true, printWarning);
  if (!store)
    return store.takeError();
  cleanUpOnInterrupt();
  if (!quiet)
    err() << "vitc: worker on " << tune::thisMachine().description << ", CPU "
          << tune::thisMachine().cpu << "\n";
  unsigned total = 0;
  if (llvm::Error error = tune::runWorker(
          *installation, *store, lease.value_or(120), idleSeconds.value_or(0),
          [&](unsigned done) { total = done; }))
    return error;
  if (!quiet)
    out() << "measured " << total << " trials\n";
  return llvm::Error::success();
}
