// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Worker.h"

#include "vitc/Tune/Summary.h"

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

llvm::Expected<Build> Worker::buildOne(const KernelRow &kernel,
                                       llvm::StringRef backend,
                                       const json::Object &schedule) {
  auto built = measurer.build(kernel, backend, schedule);
  if (!built)
    return built.takeError();
  return std::move(built->front());
}

/// The trial's time beside that of the best one so far. Of hundreds that are as
/// good, some look better by luck; so whoever seems to win is timed again, for
/// long and beside the first one, and that counts.
llvm::Error Worker::compete(const KernelRow &kernel, TrialRow &trial,
                            const Build &build) {
  // What other workers' backends have made cannot be repeated here.
  auto best = store.getBest(kernel.id, capabilities.backends);
  if (!best)
    return best.takeError();
  std::optional<Build> baseline;
  if (*best) {
    auto built = buildOne(kernel, (*best)->backend, (*best)->schedule);
    if (!built)
      return built.takeError();
    if (built->outcome == Outcome::Ok)
      baseline = std::move(*built);
  }
  trial.result =
      measurer.measure(kernel, build, baseline ? &*baseline : nullptr,
                       /*thorough=*/false);
  trial.score = trial.result.seconds;
  if (trial.result.outcome != Outcome::Ok || !baseline)
    return llvm::Error::success();
  constexpr double seemsToWin = 0.99;
  double ratio = trial.result.seconds / trial.result.baselineSeconds;
  trial.score = (*best)->score * std::max(ratio, 1.0);
  if (ratio > seemsToWin || trial.result.pairedRatio > 1)
    return llvm::Error::success();
  auto anchor = store.getAnchor(kernel.id, capabilities.backends);
  if (!anchor)
    return anchor.takeError();
  if (!*anchor)
    return llvm::Error::success();
  auto first = buildOne(kernel, (*anchor)->backend, (*anchor)->schedule);
  if (!first)
    return first.takeError();
  if (first->outcome != Outcome::Ok)
    return llvm::Error::success();
  trial.result = measurer.measure(kernel, build, &*first, /*thorough=*/true);
  if (trial.result.outcome == Outcome::Ok)
    trial.score =
        (*anchor)->score * trial.result.seconds / trial.result.baselineSeconds;
  return llvm::Error::success();
}

/// The trial's time beside the default's. A model must not become slower by
/// tuning, so whoever wins has to do so again, in a process of its own, and the
/// worse of both results counts.
llvm::Error Worker::confirm(const KernelRow &kernel, TrialRow &trial,
                            const Build &build) {
  auto baseline = buildOne(kernel, trial.result.baselineBackend, {});
  if (!baseline)
    return baseline.takeError();
  std::optional<Measurement> worst;
  for (unsigned time = 0; time < 2; ++time) {
    Measurement result =
        measurer.measure(kernel, build, &*baseline, /*thorough=*/true);
    bool isKept = isWorthKeeping(result);
    if (!worst || !isKept ||
        result.seconds / result.baselineSeconds >
            worst->seconds / worst->baselineSeconds)
      worst = std::move(result);
    if (!isKept)
      break;
  }
  trial.result = std::move(*worst);
  trial.score = trial.result.seconds;
  return llvm::Error::success();
}

llvm::Error Worker::measure(const KernelRow &kernel, TrialRow &trial,
                            const Build &build) {
  auto standard = buildOne(kernel, trial.backend, {});
  if (!standard)
    return standard.takeError();
  // A candidate that spills more than the default is not worth its time.
  if (build.outcome == Outcome::Ok && build.spills > standard->spills) {
    trial.result.outcome = Outcome::Spill;
    trial.result.detail = "the inner loops touch the stack " +
                          std::to_string(build.spills) + " times";
    trial.result.schedule = build.schedule;
    trial.result.backendVersion = build.backendVersion;
    trial.result.compileSeconds = build.compileSeconds;
    return llvm::Error::success();
  }
  return trial.isSearch() ? compete(kernel, trial, build)
                          : confirm(kernel, trial, build);
}

/// First all that can be compiled, with every core; then the timings, on a
/// machine that does nothing else of ours.
llvm::Error Worker::buildAll(const KernelRow &kernel,
                             llvm::ArrayRef<TrialRow> trials) {
  std::map<std::string, std::vector<json::Object>> schedules;
  for (const TrialRow &trial : trials)
    schedules[trial.backend].push_back(trial.schedule);
  for (auto &[backend, list] : schedules)
    if (auto built = measurer.build(kernel, backend, list); !built)
      return built.takeError();
  return store.setCompiled(name, leaseSeconds);
}

/// Ends trials of a kernel that nobody can measure.
llvm::Error Worker::refuse(llvm::StringRef complaint,
                           llvm::MutableArrayRef<TrialRow> trials) {
  for (TrialRow &trial : trials) {
    trial.result.outcome = Outcome::Invalid;
    trial.result.detail = complaint.str();
    if (auto counted = store.complete(trial, name); !counted)
      return counted.takeError();
  }
  return llvm::Error::success();
}

llvm::Expected<unsigned> Worker::step(int64_t session, unsigned count,
                                      llvm::function_ref<bool()> stop) {
  auto trials = store.claim(name, capabilities, session, count, leaseSeconds);
  if (!trials)
    return trials.takeError();
  if (trials->empty())
    return 0;
  auto kernel = store.getKernel(trials->front().kernel);
  if (!kernel)
    return kernel.takeError();
  if (!kernel->complaint.empty()) {
    if (llvm::Error error = refuse(kernel->complaint, *trials))
      return error;
    return unsigned(trials->size());
  }
  if (llvm::Error error = buildAll(*kernel, *trials))
    return error;
  unsigned done = 0, lost = 0;
  for (TrialRow &trial : *trials) {
    if (stop && stop())
      break;
    auto built = buildOne(*kernel, trial.backend, trial.schedule);
    if (!built)
      return built.takeError();
    auto begun = store.begin(trial, name, leaseSeconds);
    if (!begun)
      return begun.takeError();
    if (!*begun) {
      ++lost;
      continue;
    }
    if (llvm::Error error = measure(*kernel, trial, *built))
      return error;
    if (auto counted = store.complete(trial, name); !counted)
      return counted.takeError();
    ++done;
    if (llvm::Error error = store.renew(name, leaseSeconds))
      return error;
  }
  if (done + lost < trials->size())
    if (llvm::Error error = store.giveBack(name))
      return error;
  return done;
}
