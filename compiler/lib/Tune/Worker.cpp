// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Worker.h"

#include "vitc/Tune/Machine.h"
#include "vitc/Tune/Summary.h"

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

/// Tests put a field "fault" beside the parameters: the candidate then
/// misbehaves in that way. Backends never see it.
static std::string takeFault(json::Object &schedule) {
  std::string fault = schedule.getString("fault").value_or("").str();
  schedule.erase("fault");
  return fault;
}

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
                            const Build &build, llvm::StringRef fault) {
  auto best = store.getBest(kernel.id);
  if (!best)
    return best.takeError();
  std::optional<Build> rival;
  if (*best) {
    auto built = buildOne(kernel, (*best)->backend, (*best)->schedule);
    if (!built)
      return built.takeError();
    rival = std::move(*built);
  }
  auto result = measurer.measure(kernel, build, rival ? &*rival : nullptr,
                                 /*thorough=*/false, fault);
  if (!result)
    return result.takeError();
  trial.result = std::move(*result);
  trial.score = trial.result.seconds;
  if (trial.result.outcome != Outcome::Ok || !*best)
    return llvm::Error::success();
  constexpr double seemsToWin = 0.99;
  double ratio = trial.result.seconds / trial.result.rivalSeconds;
  trial.score = (*best)->score * std::max(ratio, 1.0);
  if (ratio > seemsToWin || trial.result.pairedRatio > 1)
    return llvm::Error::success();
  auto anchor = store.getAnchor(kernel.id);
  if (!anchor)
    return anchor.takeError();
  auto first = buildOne(kernel, (*anchor)->backend, (*anchor)->schedule);
  if (!first)
    return first.takeError();
  auto again =
      measurer.measure(kernel, build, &*first, /*thorough=*/true, fault);
  if (!again)
    return again.takeError();
  trial.result = std::move(*again);
  if (trial.result.outcome == Outcome::Ok)
    trial.score =
        (*anchor)->score * trial.result.seconds / trial.result.rivalSeconds;
  return llvm::Error::success();
}

/// The trial's time beside the default's. A model must not become slower by
/// tuning, so whoever wins has to do so again, in a process of its own, and the
/// worse of both results counts.
llvm::Error Worker::confirm(const KernelRow &kernel, TrialRow &trial,
                            const Build &build, llvm::StringRef fault) {
  auto rival = buildOne(kernel, trial.result.rivalBackend, {});
  if (!rival)
    return rival.takeError();
  std::optional<Measurement> worst;
  for (unsigned time = 0; time < 2; ++time) {
    auto result =
        measurer.measure(kernel, build, &*rival, /*thorough=*/true, fault);
    if (!result)
      return result.takeError();
    bool isKept = isWorthKeeping(*result);
    if (!worst || !isKept ||
        result->seconds / result->rivalSeconds >
            worst->seconds / worst->rivalSeconds)
      worst = std::move(*result);
    if (!isKept)
      break;
  }
  trial.result = std::move(*worst);
  trial.score = trial.result.seconds;
  return llvm::Error::success();
}

llvm::Error Worker::measure(const KernelRow &kernel, TrialRow &trial,
                            const Build &build, llvm::StringRef fault) {
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
  if (trial.kind == TrialKind::Search)
    return compete(kernel, trial, build, fault);
  return confirm(kernel, trial, build, fault);
}

llvm::Expected<unsigned> Worker::step(int64_t session, unsigned count,
                                      llvm::function_ref<bool()> stop) {
  auto trials =
      store.claim(name, thisMachine().cpu, session, count, leaseSeconds);
  if (!trials)
    return trials.takeError();
  if (trials->empty())
    return 0;
  auto kernel = store.getKernel(trials->front().kernel);
  if (!kernel)
    return kernel.takeError();
  // First all that can be compiled, with every core; then the timings, on a
  // machine that does nothing else of ours.
  std::map<std::string, std::vector<json::Object>> schedules;
  for (const TrialRow &trial : *trials) {
    json::Object plain = trial.schedule;
    takeFault(plain);
    schedules[trial.backend].push_back(std::move(plain));
  }
  for (auto &[backend, list] : schedules)
    if (auto built = measurer.build(*kernel, backend, list); !built)
      return built.takeError();
  if (llvm::Error error = store.renew(name, leaseSeconds))
    return error;
  unsigned done = 0, lost = 0;
  for (TrialRow &trial : *trials) {
    if (stop && stop())
      break;
    json::Object plain = trial.schedule;
    std::string fault = takeFault(plain);
    auto built = buildOne(*kernel, trial.backend, plain);
    if (!built)
      return built.takeError();
    auto begun = store.begin(trial, name, leaseSeconds);
    if (!begun)
      return begun.takeError();
    if (!*begun) {
      ++lost;
      continue;
    }
    if (llvm::Error error = measure(*kernel, trial, *built, fault))
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
