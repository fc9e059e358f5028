// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Session.h"

#include "Confirmation.h"
#include "Plan.h"
#include "Policy.h"
#include "Scratch.h"
#include "Statistics.h"
#include "Toolbox.h"
#include "TrainingSet.h"

#include "vitc/Records/Machine.h"
#include "vitc/Support/Escape.h"
#include "vitc/Tune/Worker.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <limits>
#include <thread>

using namespace vitc;
using namespace vitc::tune;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {

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
  llvm::Error addFirstTrials();
  llvm::Error addTrials();
  llvm::Expected<unsigned> addTrialsFor(TunedKernel &target, unsigned count);
  llvm::Error search();
  llvm::Error confirm();
  llvm::Error keepRecords();
  llvm::Error measure(llvm::function_ref<bool()> stop);
  llvm::Error refresh();
  double secondsLeft() const;
  bool isOver() const { return secondsLeft() <= 0; }
  bool isExhausted() const {
    return llvm::all_of(
        targets, [](const TunedKernel &target) { return target.isUsedUp; });
  }
  /// The backend whose default is used where there is no record.
  const std::string &baseline() const {
    return measurer->getTools().backends.begin()->first;
  }
  unsigned batch() const { return batchSize(secondsLeft()); }

  const TuneOptions &options;
  const Installation &installation;
  Store &store;
  const Observer &observer;
  std::optional<Scratch> scratch;
  std::optional<Measurer> measurer;
  std::optional<Worker> worker;
  SessionRow session;
  std::vector<KernelRow> kernels;
  std::vector<TunedKernel> targets;
  std::vector<TrialRow> trials; ///< all of the session, as last seen
  TrainingSet training;
  Clock::time_point start = Clock::now();
  double counted = 0; ///< seconds that the store knows of
  SessionState state;
};

} // namespace

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

llvm::Error Session::create() {
  auto plan = planSession(options, installation, measurer->getTools());
  if (!plan)
    return plan.takeError();
  session = std::move(plan->session);
  auto id = store.addSession(session, std::move(plan->kernels));
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
  session = std::move(**found);
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
  // A backend may be gone since, and nobody else might come.
  if (options.resume && options.measuresHere)
    if (auto unfit = store.cancelUnfit(session.id, measurer->getCapabilities());
        !unfit)
      return unfit.takeError();
  if (llvm::Error error = refresh())
    return error;
  auto rows = store.getKernels(session.id);
  if (!rows)
    return rows.takeError();
  kernels = std::move(*rows);
  auto searches =
      makeSearches(session, kernels, trials.size(), measurer->getTools(),
                   [&](const llvm::Twine &message) { store.warn(message); });
  if (!searches)
    return searches.takeError();
  targets = std::move(*searches);
  if (llvm::Error error = addFirstTrials())
    return error;
  // What was queued just now counts among those that were asked for.
  return refresh();
}

llvm::Error Session::addFirstTrials() {
  RecordSet records(session.cpu);
  if (!session.options.getBoolean("ignore_records").value_or(false)) {
    if (llvm::Error error = records.addFolder(installation.recordsFolder))
      return error;
    auto earlier = store.getRecords().get();
    if (!earlier)
      return earlier.takeError();
    records.add(std::move(*earlier));
  }
  for (TunedKernel &target : targets)
    for (const auto &search : target.searches) {
      auto first = firstTrials(session, target, *search, trials, records);
      if (!first)
        return first.takeError();
      if (auto added = store.addTrials(target.kernel->id, std::move(*first));
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
  state.seconds = now;
  updateState(state, kernels, trials);
  if (observer)
    observer(state);
  return llvm::Error::success();
}

/// Queues up to `count` new schedules of a kernel; returns how many there were.
llvm::Expected<unsigned> Session::addTrialsFor(TunedKernel &target,
                                               unsigned count) {
  std::vector<const TrialRow *> own;
  for (const TrialRow &trial : trials)
    if (trial.kernel == target.kernel->id)
      own.push_back(&trial);
  unsigned each = std::max(1u, count / unsigned(target.searches.size()));
  unsigned added = 0;
  for (const auto &search : target.searches) {
    auto proposed = search->propose(
        own, training.modelFor(*target.kernel, *search, targets, trials), each);
    if (!proposed)
      return proposed.takeError();
    auto more = store.addTrials(target.kernel->id, std::move(*proposed));
    if (!more)
      return more.takeError();
    added += *more;
  }
  return added;
}

/// Queues some more schedules of the kernel where they promise most. A kernel
/// that has no more leaves its turn to the next.
llvm::Error Session::addTrials() {
  int64_t planned = llvm::count_if(trials, [](const TrialRow &trial) {
    return trial.isSearch() && trial.state != TrialState::Cancelled;
  });
  int64_t room = options.trials ? *options.trials - planned : batch();
  if (room <= 0)
    return llvm::Error::success();
  unsigned count = unsigned(std::min<int64_t>(room, batch()));
  while (TunedKernel *target = mostPromising(targets, trials)) {
    auto added = addTrialsFor(*target, count);
    if (!added)
      return added.takeError();
    if (*added > 0)
      return llvm::Error::success();
    target->isUsedUp = true;
  }
  return llvm::Error::success();
}

/// One round of measuring: here, or by waiting for others.
llvm::Error Session::measure(llvm::function_ref<bool()> stop) {
  auto lost = store.reclaim(session.id, options.leaseSeconds);
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

/// For the search: the rest is for comparing its winners with the defaults.
double Session::secondsLeft() const {
  if (!options.minutes)
    return std::numeric_limits<double>::infinity();
  size_t comparisons = 0;
  for (const KernelRow &kernel : kernels)
    comparisons += finalists(kernel, trials, baseline()).size();
  return *options.minutes * 60 - secondsSince(start) -
         comparisonSeconds(comparisons);
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
    if (*waiting < enough) {
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

/// Compares the best with the defaults, long enough to be sure: a search that
/// looks at hundreds finds some that were merely lucky.
llvm::Error Session::confirm() {
  state.stage = isExhausted() ? "every schedule of every kernel has been "
                                "tried; comparing with the defaults"
                              : "comparing with the defaults";
  for (const KernelRow &kernel : kernels) {
    std::vector<TrialRow> last;
    for (const TrialRow *trial : finalists(kernel, trials, baseline()))
      last.push_back(comparisonOf(*trial, baseline()));
    if (auto added = store.addTrials(kernel.id, std::move(last)); !added)
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

/// What the database had about kernels that were compared now is replaced.
llvm::Error Session::keepRecords() {
  auto now = store.now();
  if (!now)
    return now.takeError();
  Verdict verdict = judgeComparisons(session, kernels, trials, baseline(),
                                     peakOf(trials), *now);
  if (llvm::Error error = store.getRecords().remove(verdict.lost))
    return error;
  return store.getRecords().add(verdict.kept);
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
  return store.finish(session.id, isExhausted());
}

std::map<int64_t, std::vector<Space>> Session::getSpaces() const {
  std::map<int64_t, std::vector<Space>> spaces;
  for (const TunedKernel &target : targets)
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
