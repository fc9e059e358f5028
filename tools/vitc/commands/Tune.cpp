// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc tune`: searches for schedules that make a model's kernels faster.
#include "Commands.h"
#include "TuneDisplay.h"
#include "model/ModelOptions.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "vitc/Backend/Registry.h"
#include "vitc/Dialect/ViT/Transforms/Precision.h"
#include "vitc/Records/Machine.h"
#include "vitc/Support/File.h"
#include "vitc/Support/Interrupt.h"
#include "vitc/Tune/Session.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

struct TuneSettings {
  tune::TuneOptions tune;
  std::string database = "vitc-tune.sqlite";
  std::string report, exported, imported;
  std::string search = "evolution", start = "default";
  bool json = false, quiet = false, coordinate = false;
};

} // namespace

static void declareSearchOptions(Options &options, TuneSettings &settings) {
  tune::TuneOptions &tune = settings.tune;
  options.integer(
      "trials", "N", 1, 10000000, [&](int64_t n) { tune.trials = n; },
      "schedules to try in all, resumed sessions included");
  options.number("minutes", "N", tune.minutes,
                 "time to take (default 10, unless --trials is given)");
  options.texts("kernel", "NAME", tune.kernels,
                "only kernels whose names have this in them; may be repeated");
  options.choice("backend", tune.model.backend, backendChoices(), {},
                 "whose schedules to search; auto: all that are installed");
  options.text("target", "T", tune.model.target,
               "the processor, see `vitc targets` (default: host)");
  options.choice("precision", tune.model.precision, vit::precisionWords(), {},
                 "of linear layers, as for `vitc compile`");
  options.integer(
      "threads", "N", 1, 1024, [&](int64_t n) { tune.threads = n; },
      "threads that kernels are timed with (default 1); with one, parameters "
      "that only share work out keep their defaults");
  options.choice("search", settings.search, {"evolution", "random"}, {},
                 "how to choose what to try: children of the best, as a cost "
                 "model learnt on the way rates them; or any");
  options.choice("start", settings.start, {"default", "random"}, {},
                 "what to start from: the default schedules, or any");
  options.integer(
      "seed", "N", 0, 1000000000, [&](int64_t n) { tune.seed = uint64_t(n); },
      "of the random choices (default 1)");
  options.flag("ignore-records", tune.ignoreRecords,
               "do not try the schedules that come with vitc, nor those that "
               "the database has records of");
  options.text("cxx", "CXX", tune.model.toolchain.cxx,
               "the C++ compiler (default: $CXX, c++, g++ or clang++)");
}

static void declareStoreOptions(Options &options, TuneSettings &settings) {
  tune::TuneOptions &tune = settings.tune;
  options.text("db", "DB", settings.database,
               "where all trials go: a file (SQLite; default "
               "vitc-tune.sqlite), or postgresql://…");
  options.flag("resume", tune.resume,
               "go on with the latest session of MODEL that was not finished");
  options.flag("coordinate", settings.coordinate,
               "measure nothing here: `vitc worker` does, elsewhere");
  options.text("cpu", "NAME", tune.cpu,
               "with --coordinate: the workers' CPU, as `vitc worker` prints "
               "it (default: this machine's)");
  options.value(
      "lease", "SECONDS",
      [&](StringRef text) -> llvm::Error {
        if (text.getAsDouble(tune.leaseSeconds) || tune.leaseSeconds < 1)
          return userError("--lease takes seconds, 1 or more, not " +
                           inQuotes(text));
        return llvm::Error::success();
      },
      "when a claimed trial counts as lost (default 120)");
  options.text("export", "FILE", settings.exported,
               "write the database's records as text, one line each");
  options.text("import", "FILE", settings.imported,
               "add such records to the database");
}

static void declareOutputOptions(Options &options, TuneSettings &settings) {
  options.text("report", "FILE", settings.report,
               "write a page that shows the session, HTML");
  options.flag("json", settings.json,
               "print the session's figures as JSON (docs/CommandLine.md)");
  options.flag("quiet,q", settings.quiet, "print only warnings and errors");
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static std::string percent(double share) {
  return formatFixed(share * 100, 1) + "%";
}

static void printSummary(const tune::Summary &summary, StringRef database) {
  llvm::raw_ostream &os = out();
  os << "tuned " << summary.session.model << " for " << summary.session.target
     << " on " << summary.session.machine << "\n  " << summary.trials
     << " trials in " << formatSeconds(summary.session.seconds) << ": ";
  std::vector<std::string> outcomes;
  for (unsigned i = 0; i < tune::outcomeCount; ++i)
    if (summary.outcomes[i])
      outcomes.push_back(std::to_string(summary.outcomes[i]) + " " +
                         tune::nameOf(tune::Outcome(i)).str());
  os << llvm::join(outcomes, ", ") << "\n";
  if (summary.session.exhausted)
    os << "  every schedule of every kernel has been tried\n";
  if (summary.bestSeconds > 0 && summary.defaultSeconds > 0)
    os << "  tuned kernels of a run: "
       << formatFixed(summary.defaultSeconds * 1e3, 3) << " -> "
       << formatFixed(summary.bestSeconds * 1e3, 3) << " ms ("
       << formatFixed(summary.speedup(), 3) << "x), "
       << percent(summary.shareBefore) << " -> " << percent(summary.shareAfter)
       << " of the peak\n";
  Table table({{"kernel", Table::Align::Left},
               {"calls", Table::Align::Right},
               {"trials", Table::Align::Right},
               {"default us", Table::Align::Right},
               {"best us", Table::Align::Right},
               {"of peak", Table::Align::Right},
               {"schedule", Table::Align::Left}});
  for (const tune::KernelSummary &kernel : summary.kernels)
    table.add({kernel.kernel.name, std::to_string(kernel.kernel.calls),
               std::to_string(kernel.trials),
               formatFixed(kernel.defaultSeconds * 1e6, 1),
               formatFixed(kernel.bestSeconds * 1e6, 1),
               percent(kernel.shareAfter), kernel.words()});
  table.print(os, /*indent=*/2);
  os << "next: vitc compile " << shellWord(summary.session.model)
     << " -o OUT --tune-db " << shellWord(database) << "\n";
}

/// The figures of a session, in every form that was asked for.
static llvm::Error
present(tune::Store &store, int64_t session, const TuneSettings &settings,
        const std::map<int64_t, std::vector<tune::Space>> &spaces) {
  auto summary = tune::summarize(store, session, spaces);
  if (!summary)
    return summary.takeError();
  if (!settings.report.empty())
    if (llvm::Error error =
            writeFile(settings.report, tune::renderReport(*summary)))
      return error;
  if (settings.json)
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(summary->toJson()));
  else if (!settings.quiet)
    printSummary(*summary, settings.database);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static llvm::Error checkSettings(TuneSettings &settings,
                                 const Options &options) {
  tune::TuneOptions &tune = settings.tune;
  bool tunes = !tune.model.model.empty();
  if (!tunes) {
    if (settings.exported.empty() && settings.imported.empty() &&
        settings.report.empty() && !settings.json)
      return userError("vitc tune needs a MODEL; or --export, --import, "
                       "--report or --json for what a database has");
    for (StringRef option : {"trials", "minutes", "resume", "coordinate"})
      if (options.given(option))
        return userError("--" + option + " needs a MODEL to tune");
    return llvm::Error::success();
  }
  if (!settings.exported.empty() || !settings.imported.empty())
    return userError("--export and --import move records and tune nothing; "
                     "leave out MODEL");
  if (!tune.cpu.empty() && !settings.coordinate)
    return userError("--cpu needs --coordinate: what is measured here is for "
                     "this machine's CPU");
  if (settings.coordinate && !tune::isPostgres(settings.database))
    return userError("--coordinate needs --db postgresql://…, where workers "
                     "on other machines find the trials");
  tune.measuresHere = !settings.coordinate;
  tune.strategy = settings.search == "random" ? tune::Strategy::Random
                                              : tune::Strategy::Evolution;
  tune.startRandom = settings.start == "random";
  if (!tune.trials && !tune.minutes)
    tune.minutes = 10;
  // Times do not depend on the weights, so a name is enough.
  if (!tune.model.seed && !llvm::sys::fs::exists(tune.model.model))
    tune.model.seed = 1;
  return llvm::Error::success();
}

/// What can be done without a model.
static llvm::Error serveRecords(const TuneSettings &settings) {
  auto store =
      tune::Store::open(settings.database,
                        /*create=*/!settings.imported.empty(), printWarning);
  if (!store)
    return store.takeError();
  if (!settings.imported.empty()) {
    auto records = tune::readRecords(settings.imported);
    if (!records)
      return records.takeError();
    if (llvm::Error error = store->getRecords().add(*records))
      return error;
    if (!settings.quiet)
      out() << "imported " << records->size() << " records\n";
  }
  if (!settings.exported.empty()) {
    auto records = store->getRecords().get();
    if (!records)
      return records.takeError();
    std::string text;
    for (const tune::Record &record : *records)
      text += record.toLine() + "\n";
    if (llvm::Error error = writeFile(settings.exported, text))
      return error;
    if (!settings.quiet)
      out() << "exported " << records->size() << " records\n";
  }
  if (settings.report.empty() && !settings.json)
    return llvm::Error::success();
  auto latest = store->findLatest();
  if (!latest)
    return latest.takeError();
  if (!*latest)
    return userError(settings.database, "there is no session in it");
  return present(*store, (*latest)->id, settings, {});
}

llvm::Error vitc::tool::tuneCommand(const Invocation &invocation) {
  TuneSettings settings;
  Options options("tune", "MODEL [options]",
                  "Searches for schedules that make a model's kernels faster "
                  "on this machine. Each candidate is compiled, checked "
                  "against a reference and timed in a process of its own. All "
                  "trials go to a database, so that a session can be stopped "
                  "at any moment and resumed.");
  options.argument("MODEL", settings.tune.model.model,
                   "as for `vitc compile`; a name from `vitc models` needs no "
                   "weights",
                   /*required=*/false);
  declareSearchOptions(options, settings);
  declareStoreOptions(options, settings);
  declareImportOptions(options, settings.tune.model);
  options.flag("fast-matmul", settings.tune.model.fastMatmul,
               "tune the kernels of a library that is compiled so");
  declareOutputOptions(options, settings);
  options.note("`vitc compile --tune-db DB` uses what was found. "
               "docs/Tuning.md explains the rest.");
  options.example("vitc tune vit-small-patch16-224 --minutes 5 --report "
                  "tuned.html",
                  "five minutes for a published architecture");
  options.example("vitc tune MODEL --db tune.sqlite --trials 500 --resume",
                  "go on after an interruption");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (llvm::Error error = checkSettings(settings, options))
    return error;
  tune::TuneOptions &tune = settings.tune;
  if (tune.model.model.empty())
    return serveRecords(settings);
  auto installation = Installation::find(invocation.program);
  if (!installation)
    return installation.takeError();
  tune.command = "vitc tune";
  for (const std::string &argument : invocation.arguments)
    tune.command += " " + shellWord(argument);
  auto store = tune::Store::open(settings.database, /*create=*/!tune.resume,
                                 printWarning);
  if (!store)
    return store.takeError();
  cleanUpOnInterrupt();
  if (!settings.quiet && tune.strategy == tune::Strategy::Evolution &&
      !tune::CostModel::isAvailable())
    err() << "vitc: this vitc is built without OpenCV: children of the "
             "best schedules are tried in any order, without a cost "
             "model's ranking\n";
  std::map<int64_t, std::vector<tune::Space>> spaces;
  llvm::Expected<int64_t> session = 0;
  {
    TuneDisplay display(tune.model.model, settings.quiet);
    session = tune::runSession(
        tune, *installation, *store,
        [&](const tune::SessionState &state) { display.show(state); }, spaces);
  }
  if (!session)
    return session.takeError();
  return present(*store, *session, settings, spaces);
}
