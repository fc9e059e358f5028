// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Session.h"

#include "Scratch.h"
#include "Toolbox.h"

#include "vitc/Driver/Targets.h"
#include "vitc/Support/Escape.h"
#include "vitc/Tune/Machine.h"
#include "vitc/Tune/Worker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {

/// One kernel and the searches for it, one for each backend.
struct Tuned {
  const KernelRow *kernel;
  std::vector<std::unique_ptr<Search>> searches;
  bool isUsedUp = false;
};

class Session {
public:
  Session(const TuneOptions &options, const Installation &installation,
          Store &store, const Observer &observer)
      : options(options), installation(installation), store(store),
        observer(observer) {}

  llvm::Error open();
  llvm::Error run();
  int64_t getId() const { return session.id; }
  std::map<int64_t, std::vector<Space>> getSpaces() const;

private:
  llvm::Error create();
  llvm::Error resume();
  llvm::Expected<std::vector<Space>> askSpaces(const KernelRow &kernel);
  llvm::Error makeSearches();
  llvm::Error addFirstTrials();
  llvm::Error addTrials();
  llvm::Error search();
  llvm::Error confirm();
  llvm::Error keepRecords();
  llvm::Error measure(llvm::function_ref<bool()> stop);
  llvm::Error refresh();
  Tuned *mostPromising();
  CostModel &modelFor(const Search &search);
  double priority(const Tuned &target) const;
  std::vector<const TrialRow *> finalists(const Tuned &target) const;
  double secondsLeft() const;
  bool isOver() const { return secondsLeft() <= 0; }
  /// Whose default is used where there is no record.
  const std::string &defaultBackend() const {
    return measurer->getTools().backends.begin()->first;
  }
  unsigned batch() const;

  const TuneOptions &options;
  const Installation &installation;
  Store &store;
  const Observer &observer;
  std::optional<Scratch> scratch;
  std::optional<Measurer> measurer;
  std::optional<Worker> worker;
  SessionRow session;
  std::vector<KernelRow> kernels;
  std::vector<Tuned> targets;
  std::vector<TrialRow> trials; ///< all of the session, as last seen
  std::map<std::string, CostModel> models;
  std::map<std::string, size_t> learnt; ///< samples behind each model
  Clock::time_point start = Clock::now();
  double counted = 0; ///< seconds that the store knows of
  double peak = 0;    ///< the best multiply-add rate seen, in FLOP/s
  SessionState state;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// The families whose kernels vitc-measure can check.
static llvm::Expected<std::set<std::string>>
checkedFamilies(const Installation &installation) {
  llvm::Expected<json::Value> answer =
      askProgram(installation.measureProgram, {"--families"});
  if (!answer)
    return answer.takeError();
  std::set<std::string> names;
  if (const json::Array *array = answer->getAsArray())
    for (const json::Value &name : *array)
      names.insert(name.getAsString().value_or("").str());
  return names;
}

/// The spaces of a kernel, one of each backend that has its family.
llvm::Expected<std::vector<Space>> Session::askSpaces(const KernelRow &kernel) {
  std::vector<Space> spaces;
  llvm::Error refused = llvm::Error::success();
  for (const auto &[backend, program] : measurer->getTools().backends) {
    auto space = Space::ask(backend, program, kernel, scratch->path());
    if (space)
      spaces.push_back(std::move(*space));
    else
      refused = llvm::joinErrors(std::move(refused), space.takeError());
  }
  if (spaces.empty())
    return refused;
  llvm::consumeError(std::move(refused));
  return spaces;
}

/// Whether this machine runs kernels for `target`: its own, and those of
/// levels below it.
static llvm::Expected<bool> runsHere(llvm::StringRef target) {
  llvm::Expected<const vitc::Target *> host = hostTarget();
  if (!host)
    return host.takeError();
  llvm::StringRef highest = (*host)->levels.back().backend;
  for (const vitc::Target &known : targets()) {
    auto place = [&](llvm::StringRef name) {
      return llvm::find_if(known.levels, [&](const Level &level) {
        return level.backend == name;
      });
    };
    if (place(highest) != known.levels.end() && place(target) <= place(highest))
      return true;
  }
  return false;
}

llvm::Error Session::create() {
  // What a kernel computes does not depend on who compiles it.
  CompileOptions model = options.model;
  model.backend = "halide";
  llvm::Expected<std::vector<PlannedKernel>> planned =
      planKernels(model, installation);
  if (!planned)
    return planned.takeError();
  session.model = utf8Text(options.model.model);
  session.target = planned->empty() ? "" : planned->front().library;
  session.cpu = options.cpu.empty() ? thisMachine().cpu : options.cpu;
  session.machine = options.cpu.empty() ? thisMachine().description : "";
  session.command = utf8Text(options.command);
  session.threads = options.threads;
  auto families = checkedFamilies(installation);
  if (!families)
    return families.takeError();
  json::Object reasons;
  std::vector<KernelRow> rows;
  for (PlannedKernel &kernel : *planned) {
    KernelRow row;
    row.key = kernelKey(kernel.family, kernel.spec, kernel.target);
    row.name = kernel.name;
    row.family = kernel.family;
    row.target = kernel.target;
    row.spec = std::move(kernel.spec);
    row.calls = kernel.calls;
    row.flops = kernel.flops;
    if (!options.kernels.empty() &&
        llvm::none_of(options.kernels, [&](const std::string &part) {
          return llvm::StringRef(row.name).contains(part);
        })) {
      reasons[row.name] = "not among those asked for";
      continue;
    }
    llvm::Expected<bool> runs = runsHere(row.target);
    if (!runs)
      return runs.takeError();
    if (options.measuresHere && !*runs) {
      reasons[row.name] = "this machine does not run " + row.target;
      continue;
    }
    if (!families->count(row.family)) {
      reasons[row.name] = "the family " + row.family + " is not tuned";
      continue;
    }
    auto spaces = askSpaces(row);
    if (!spaces)
      return spaces.takeError();
    bool isOpen = false;
    for (Space &space : *spaces)
      isOpen |= Search(row, std::move(space), options.threads, options.strategy,
                       options.seed)
                    .isOpen();
    if (isOpen)
      rows.push_back(std::move(row));
    else
      reasons[row.name] = "nothing to choose with " +
                          std::to_string(options.threads) +
                          (options.threads == 1 ? " thread" : " threads");
  }
  if (rows.empty())
    return userError(options.model.model,
                     "has no kernel to tune here: " +
                         reasons.begin()->second.getAsString().value_or(""));
  session.options = json::Object{
      {"not_tuned", std::move(reasons)},
      {"search", options.strategy == Strategy::Random ? "random" : "evolution"},
      {"start", options.startRandom ? "random" : "default"},
      {"backend", options.model.backend},
      {"seed", int64_t(options.seed)},
      {"ignore_records", options.ignoreRecords}};
  auto id = store.addSession(session, std::move(rows));
  if (!id)
    return id.takeError();
  session.id = *id;
  return llvm::Error::success();
}

llvm::Error Session::resume() {
  auto found = store.findUnfinished(utf8Text(options.model.model),
                                    options.cpu.empty() ? thisMachine().cpu
                                                        : options.cpu);
  if (!found)
    return found.takeError();
  if (!*found)
    return userError(store.getPlace(), "there is no unfinished session for " +
                                           options.model.model +
                                           " on this CPU to resume");
  session = **found;
  return llvm::Error::success();
}

llvm::Error Session::makeSearches() {
  auto rows = store.getKernels(session.id);
  if (!rows)
    return rows.takeError();
  kernels = std::move(*rows);
  for (const KernelRow &kernel : kernels) {
    Tuned &target = targets.emplace_back();
    target.kernel = &kernel;
    auto spaces = askSpaces(kernel);
    if (!spaces)
      return spaces.takeError();
    for (Space &space : *spaces) {
      bool random = session.options.getString("search") == "random";
      // A resumed session must not repeat its first draws.
      uint64_t seed =
          uint64_t(session.options.getInteger("seed").value_or(1)) * 1000003 +
          uint64_t(kernel.id) * 7919 + trials.size();
      target.searches.push_back(std::make_unique<Search>(
          kernel, std::move(space), session.threads,
          random ? Strategy::Random : Strategy::Evolution, seed));
    }
  }
  return llvm::Error::success();
}

llvm::Error Session::open() {
  auto made = Scratch::make(installation.cacheFolder);
  if (!made)
    return made.takeError();
  scratch.emplace(std::move(*made));
  if (options.resume)
    if (llvm::Error error = resume())
      return error;
  auto tools = makeTools(
      installation, options.model,
      session.options.getString("backend").value_or(options.model.backend),
      scratch->path());
  if (!tools)
    return tools.takeError();
  measurer.emplace(std::move(*tools));
  worker.emplace(store, *measurer, options.leaseSeconds);
  if (!options.resume)
    if (llvm::Error error = create())
      return error;
  if (llvm::Error error = refresh())
    return error;
  if (llvm::Error error = makeSearches())
    return error;
  if (llvm::Error error = addFirstTrials())
    return error;
  // What was queued just now counts among those that were asked for.
  return refresh();
}

/// The default schedule and what records say; or one drawn at random, for a
/// search that must find everything itself.
llvm::Error Session::addFirstTrials() {
  RecordSet records(session.cpu);
  if (!session.options.getBoolean("ignore_records").value_or(false)) {
    if (llvm::Error error = records.addFolder(installation.recordsFolder))
      return error;
    std::vector<std::string> warnings; // --export and compile tell them
    auto earlier = store.getRecords(warnings);
    if (!earlier)
      return earlier.takeError();
    records.add(std::move(*earlier));
  }
  bool random = session.options.getString("start") == "random";
  for (Tuned &target : targets)
    for (const auto &search : target.searches) {
      std::vector<TrialRow> first;
      const std::string &backend = search->getSpace().backend;
      bool isNew = llvm::none_of(trials, [&](const TrialRow &trial) {
        return trial.kernel == target.kernel->id && trial.backend == backend;
      });
      if (!isNew)
        continue;
      if (random) {
        auto proposed = search->propose({}, CostModel(), 1);
        if (!proposed)
          return proposed.takeError();
        first = std::move(*proposed);
      } else {
        TrialRow standard;
        standard.backend = backend;
        standard.proposer = "default";
        first.push_back(std::move(standard));
        for (const Record *record : records.find(target.kernel->key)) {
          if (record->backend != backend)
            continue;
          TrialRow known;
          known.backend = backend;
          known.proposer = "record";
          known.schedule = record->schedule;
          first.push_back(std::move(known));
        }
        // For tests: candidates that misbehave in a known way.
        if (auto faults = llvm::sys::Process::GetEnv("VITC_TUNE_FAULTS"))
          for (llvm::StringRef fault : llvm::split(*faults, ','))
            if (&target == &targets.front()) {
              TrialRow bad;
              bad.backend = backend;
              bad.proposer = "fault";
              bad.schedule = json::Object{{"fault", fault.str()}};
              first.push_back(std::move(bad));
            }
      }
      if (auto added = store.addTrials(target.kernel->id, TrialKind::Search,
                                       std::move(first));
          !added)
        return added.takeError();
    }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

llvm::Error Session::refresh() {
  auto rows = store.getTrials(session.id);
  if (!rows)
    return rows.takeError();
  trials = std::move(*rows);
  double now = secondsSince(start);
  if (llvm::Error error = store.spend(session.id, now - counted))
    return error;
  counted = now;

  state.done = state.measured = 0;
  state.outcomes = {};
  state.bestSeconds = 0;
  state.seconds = now;
  std::map<int64_t, double> first, best;
  double flops = 0;
  for (const TrialRow &trial : trials) {
    if (trial.state != "done" || trial.kind != TrialKind::Search)
      continue;
    peak = std::max(peak, trial.result.peak);
    ++state.done;
    ++state.outcomes[size_t(trial.result.outcome)];
    if (trial.result.outcome != Outcome::Ok)
      continue;
    ++state.measured;
    first.try_emplace(trial.kernel, trial.score);
    double &known = best.try_emplace(trial.kernel, trial.score).first->second;
    known = std::min(known, trial.score);
  }
  state.startSeconds = 0;
  if (best.size() == kernels.size())
    for (const KernelRow &kernel : kernels) {
      state.startSeconds += first[kernel.id] * double(kernel.calls);
      state.bestSeconds += best[kernel.id] * double(kernel.calls);
      flops += kernel.flops * double(kernel.calls);
    }
  state.share =
      peak > 0 && state.bestSeconds > 0 ? flops / state.bestSeconds / peak : 0;
  if (observer)
    observer(state);
  return llvm::Error::success();
}

/// Time that a kernel takes in a run, less the more it was tried already: the
/// gains of a search fall off.
double Session::priority(const Tuned &target) const {
  double best = 0;
  unsigned tried = 0, open = 0;
  for (const TrialRow &trial : trials) {
    if (trial.kernel != target.kernel->id || trial.kind != TrialKind::Search)
      continue;
    ++tried;
    open += trial.state == "queued" || trial.state == "running";
    if (trial.state == "done" && trial.result.outcome == Outcome::Ok)
      best = best > 0 ? std::min(best, trial.score) : trial.score;
  }
  // Unknown is urgent, unless it keeps failing; but the first result decides
  // what the next trials are compared with, and is waited for.
  if (best == 0)
    return open > 0 ? 0 : 1.0 / (1 + tried);
  constexpr double patience = 12;
  return best * double(target.kernel->calls) / (1 + tried / patience);
}

Tuned *Session::mostPromising() {
  Tuned *best = nullptr;
  for (Tuned &target : targets)
    if (!target.isUsedUp && (!best || priority(target) > priority(*best)))
      best = &target;
  return best && priority(*best) > 0 ? best : nullptr;
}

/// One model serves all kernels of a family, whose parameters are the same. It
/// is trained anew when there is more to learn from.
CostModel &Session::modelFor(const Search &search) {
  auto nameOf = [](const Space &space, const KernelRow &kernel) {
    std::string name = space.backend + " " + kernel.family;
    for (const Parameter &parameter : space.parameters)
      name += " " + parameter.name;
    return name;
  };
  std::string name;
  for (const Tuned &target : targets)
    for (const auto &other : target.searches)
      if (other.get() == &search)
        name = nameOf(search.getSpace(), *target.kernel);
  std::vector<Features> samples;
  std::vector<float> costs;
  for (const Tuned &target : targets)
    for (const auto &other : target.searches) {
      if (nameOf(other->getSpace(), *target.kernel) != name)
        continue;
      // Relative to the kernel's best: what a schedule is worth, not how large
      // the kernel is. A failure is as bad as four times the time.
      double best = 0;
      for (const TrialRow &trial : trials)
        if (trial.kernel == target.kernel->id && trial.state == "done" &&
            trial.kind == TrialKind::Search &&
            trial.result.outcome == Outcome::Ok)
          best = best > 0 ? std::min(best, trial.score) : trial.score;
      constexpr float failure = 2;
      for (const TrialRow &trial : trials)
        if (trial.kernel == target.kernel->id && trial.state == "done" &&
            trial.kind == TrialKind::Search &&
            trial.backend == other->getSpace().backend && best > 0) {
          bool isOk = trial.result.outcome == Outcome::Ok;
          samples.push_back(other->features(trial.result.schedule.empty()
                                                ? trial.schedule
                                                : trial.result.schedule));
          costs.push_back(
              isOk ? std::min(failure, float(std::log2(trial.score / best)))
                   : failure);
        }
    }
  CostModel &model = models[name];
  if (learnt[name] != samples.size()) {
    model.train(samples, costs);
    learnt[name] = samples.size();
  }
  return model;
}

/// Queues some more schedules of the kernel where they promise most.
llvm::Error Session::addTrials() {
  auto isSearch = [](const TrialRow &trial) {
    return trial.kind == TrialKind::Search && trial.state != "cancelled";
  };
  int64_t planned = llvm::count_if(trials, isSearch);
  int64_t room = options.trials ? *options.trials - planned : batch();
  if (room <= 0)
    return llvm::Error::success();
  Tuned *target = mostPromising();
  if (!target)
    return llvm::Error::success();
  std::vector<const TrialRow *> own;
  for (const TrialRow &trial : trials)
    if (trial.kernel == target->kernel->id)
      own.push_back(&trial);
  unsigned count = unsigned(std::min<int64_t>(room, batch())), added = 0;
  for (const auto &search : target->searches) {
    auto proposed = search->propose(
        own, modelFor(*search),
        std::max(1u, count / unsigned(target->searches.size())));
    if (!proposed)
      return proposed.takeError();
    auto more = store.addTrials(target->kernel->id, TrialKind::Search,
                                std::move(*proposed));
    if (!more)
      return more.takeError();
    added += *more;
  }
  target->isUsedUp = added == 0;
  return llvm::Error::success();
}

/// One round of measuring: here, or by waiting for others.
llvm::Error Session::measure(llvm::function_ref<bool()> stop) {
  auto lost = store.reclaim(session.id);
  if (!lost)
    return lost.takeError();
  state.lost += *lost;
  if (options.measuresHere) {
    auto done = worker->step(session.id, batch(), stop);
    if (!done)
      return done.takeError();
    if (*done > 0)
      return llvm::Error::success();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return llvm::Error::success();
}

/// Trials that are compiled together, on all cores: enough that no core waits
/// for long, few enough that the search learns. The last ones end in time.
unsigned Session::batch() const {
  unsigned cores =
      llvm::heavyweight_hardware_concurrency().compute_thread_count();
  constexpr double nearTheEnd = 12;
  return secondsLeft() < nearTheEnd ? cores : std::max(8u, 4 * cores);
}

/// For the search: the rest is for comparing its winners with the defaults.
double Session::secondsLeft() const {
  if (!options.minutes)
    return std::numeric_limits<double>::infinity();
  constexpr double perComparison = 2.25, reserve = 3;
  size_t comparisons = 0;
  for (const Tuned &target : targets)
    comparisons += finalists(target).size();
  return *options.minutes * 60 - secondsSince(start) -
         perComparison * double(comparisons) - reserve;
}

llvm::Error Session::search() {
  state.stage = "searching";
  state.wanted = options.trials;
  if (options.minutes)
    state.secondsWanted = *options.minutes * 60;
  // Others take what is queued, so there must be enough for all of them.
  const unsigned enough = options.measuresHere ? batch() : 4 * batch();
  while (!isOver()) {
    auto waiting = store.countOpen(session.id);
    if (!waiting)
      return waiting.takeError();
    unsigned before = *waiting;
    if (before < enough) {
      if (llvm::Error error = addTrials())
        return error;
      auto after = store.countOpen(session.id);
      if (!after)
        return after.takeError();
      if (*after == 0)
        break; // All that was wanted, or all that there is.
    }
    if (llvm::Error error = measure([&] { return isOver(); }))
      return error;
    if (llvm::Error error = refresh())
      return error;
  }
  return store.cancelQueued(session.id);
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// The best few schedules of a kernel that may beat the default, and what a
/// record says does. Where the search has timed the default, and nothing beat
/// it, there are none.
std::vector<const TrialRow *> Session::finalists(const Tuned &target) const {
  constexpr size_t perBackend = 2;
  std::vector<const TrialRow *> result;
  double toBeat = std::numeric_limits<double>::infinity();
  std::vector<const TrialRow *> good;
  for (const TrialRow &trial : trials) {
    if (trial.kernel != target.kernel->id || trial.kind != TrialKind::Search ||
        trial.state != "done" || trial.result.outcome != Outcome::Ok)
      continue;
    if (trial.schedule.empty() && trial.backend == defaultBackend())
      toBeat = trial.score;
    else
      good.push_back(&trial);
  }
  llvm::stable_sort(good, [](const TrialRow *a, const TrialRow *b) {
    return a->score < b->score;
  });
  std::map<std::string, size_t> taken;
  for (const TrialRow *trial : good)
    if (trial->proposer == "record" ||
        (trial->score < toBeat && taken[trial->backend]++ < perBackend))
      result.push_back(trial);
  return result;
}

/// Compares them with the default, long enough to be sure: a search that looks
/// at hundreds finds some that were merely lucky.
llvm::Error Session::confirm() {
  state.stage = "comparing with the defaults";
  for (const Tuned &target : targets) {
    std::vector<TrialRow> last;
    for (const TrialRow *trial : finalists(target)) {
      TrialRow again;
      again.backend = trial->backend;
      again.schedule = trial->schedule;
      again.proposer = "confirm";
      again.result.rivalBackend = defaultBackend();
      last.push_back(std::move(again));
    }
    if (auto added = store.addTrials(target.kernel->id, TrialKind::Confirm,
                                     std::move(last));
        !added)
      return added.takeError();
  }
  for (;;) {
    auto open = store.countOpen(session.id);
    if (!open)
      return open.takeError();
    if (*open == 0)
      return llvm::Error::success();
    if (llvm::Error error = measure(nullptr))
      return error;
    if (llvm::Error error = refresh())
      return error;
  }
}

/// A record for each backend's best schedule that beat the default. What the
/// database had about kernels that were compared now is replaced.
llvm::Error Session::keepRecords() {
  auto now = store.now();
  if (!now)
    return now.takeError();
  // By kernel and backend; null where nothing beat the default.
  std::map<std::pair<int64_t, std::string>, const TrialRow *> winners;
  for (const TrialRow &trial : trials) {
    if (trial.kind != TrialKind::Confirm || trial.state != "done")
      continue;
    const TrialRow *&winner = winners[{trial.kernel, trial.backend}];
    if (!isWorthKeeping(trial.result))
      continue;
    auto ratio = [](const TrialRow &row) {
      return row.result.seconds / row.result.rivalSeconds;
    };
    if (!winner || ratio(trial) < ratio(*winner))
      winner = &trial;
  }
  std::vector<Record> records, doubtful;
  for (const KernelRow &kernel : kernels)
    for (const auto &[place, trial] : winners) {
      if (place.first != kernel.id)
        continue;
      Record record;
      record.family = kernel.family;
      record.target = kernel.target;
      record.spec = kernel.spec;
      record.cpu = session.cpu;
      record.backend = place.second;
      record.rival.backend = defaultBackend();
      if (!trial) {
        doubtful.push_back(std::move(record));
        continue;
      }
      record.machine = session.machine;
      record.backendVersion = trial->result.backendVersion;
      record.vitcVersion = VITC_VERSION;
      record.schedule = trial->result.schedule;
      record.code = trial->result.code;
      record.rival.backendVersion = trial->result.rivalBackendVersion;
      record.rival.schedule = trial->result.rivalSchedule;
      record.rival.code = trial->result.rivalCode;
      record.rival.seconds = trial->result.rivalSeconds;
      record.threads = session.threads;
      record.seconds = trial->result.seconds;
      record.share = peak > 0 ? kernel.flops / record.seconds / peak : 0;
      record.date = timestamp(*now);
      record.command = session.command;
      records.push_back(std::move(record));
    }
  if (llvm::Error error = store.removeRecords(doubtful))
    return error;
  return store.addRecords(records);
}

llvm::Error Session::run() {
  if (llvm::Error error = search())
    return error;
  if (llvm::Error error = refresh())
    return error;
  if (llvm::Error error = confirm())
    return error;
  if (llvm::Error error = refresh())
    return error;
  if (llvm::Error error = keepRecords())
    return error;
  return store.finish(session.id);
}

std::map<int64_t, std::vector<Space>> Session::getSpaces() const {
  std::map<int64_t, std::vector<Space>> spaces;
  for (const Tuned &target : targets)
    for (const auto &search : target.searches)
      spaces[target.kernel->id].push_back(search->getSpace());
  return spaces;
}

llvm::Expected<int64_t> vitc::tune::runSession(
    const TuneOptions &options, const Installation &installation, Store &store,
    const Observer &observer, std::map<int64_t, std::vector<Space>> &spaces) {
  Session session(options, installation, store, observer);
  if (llvm::Error error = session.open())
    return error;
  if (llvm::Error error = session.run())
    return error;
  spaces = session.getSpaces();
  return session.getId();
}
