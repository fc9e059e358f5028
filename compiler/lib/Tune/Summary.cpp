// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Summary.h"

#include "vitc/Records/Machine.h"
#include "vitc/Tune/Search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

std::string KernelSummary::words() const {
  std::vector<std::string> parts;
  for (const auto &[name, value] : bestSchedule) {
    auto before = defaultSchedule.getInteger(name),
         after = value.getAsInteger();
    if (after && before != after)
      parts.push_back(name.str() + " " +
                      (before ? std::to_string(*before) + " → " : "") +
                      std::to_string(*after));
  }
  llvm::sort(parts);
  return parts.empty() ? "the default" : llvm::join(parts, ", ");
}

/// Default, best and outcomes of one kernel.
static void fill(KernelSummary &summary,
                 llvm::ArrayRef<const TrialRow *> trials) {
  const TrialRow *standard = nullptr, *best = nullptr, *confirmed = nullptr;
  // What is kept comes first; a record tells of the same one.
  auto rank = [](const Measurement &result) {
    return std::pair(!isWorthKeeping(result),
                     result.seconds / result.baselineSeconds);
  };
  for (const TrialRow *trial : trials) {
    bool isOk = trial->result.outcome == Outcome::Ok;
    if (!trial->isSearch()) {
      if (isOk && (!confirmed || rank(trial->result) < rank(confirmed->result)))
        confirmed = trial;
      continue;
    }
    ++summary.trials;
    ++summary.outcomes[size_t(trial->result.outcome)];
    if (!isOk)
      continue;
    if (trial->schedule.empty() && !standard)
      standard = trial;
    if (!best || trial->score < best->score)
      best = trial;
  }
  if (standard) {
    summary.defaultSeconds = standard->score;
    summary.defaultSchedule = standard->result.schedule;
  }
  if (best) {
    summary.bestSeconds = best->score;
    summary.bestSchedule = best->result.schedule;
    summary.backend = best->backend;
    summary.noise = best->result.noise;
  }
  // The comparison at the end counts, not what the search believed.
  if (confirmed) {
    summary.defaultSeconds = confirmed->result.baselineSeconds;
    summary.noise = confirmed->result.noise;
    summary.kept = isWorthKeeping(confirmed->result);
    summary.bestSeconds = summary.kept ? confirmed->result.seconds
                                       : confirmed->result.baselineSeconds;
    summary.bestSchedule =
        summary.kept ? confirmed->result.schedule : summary.defaultSchedule;
    summary.backend = confirmed->backend;
  }
}

bool vitc::tune::isWorthKeeping(const Measurement &comparison) {
  // Less could be the noise of the comparison. The least times tell what the
  // code can do, the pairs whether it does so as a rule.
  constexpr double leastGain = 1.01;
  return comparison.outcome == Outcome::Ok &&
         comparison.baselineSeconds > comparison.seconds * leastGain &&
         comparison.pairedRatio * leastGain < 1;
}

/// The sum over kernels of their best so far, each time it improves.
static void addProgress(Summary &summary, llvm::ArrayRef<TrialRow> trials) {
  std::map<int64_t, double> best;
  std::map<int64_t, int64_t> calls;
  for (const KernelSummary &kernel : summary.kernels)
    calls[kernel.kernel.id] = kernel.kernel.calls;
  unsigned count = 0;
  double start = 0, end = 0, last = 0;
  for (const TrialRow &trial : trials) {
    if (!trial.isDone() || !trial.isSearch())
      continue;
    ++count;
    if (start == 0)
      start = trial.finished;
    if (trial.result.outcome == Outcome::Ok) {
      double &known = best[trial.kernel];
      known = known > 0 ? std::min(known, trial.score) : trial.score;
    }
    if (best.size() < calls.size())
      continue;
    double sum = 0;
    for (auto [kernel, seconds] : best)
      sum += seconds * double(calls[kernel]);
    if (last == 0 || sum < last)
      summary.progress.push_back({trial.finished - start, count, sum});
    last = sum;
    end = trial.finished - start;
  }
  if (last > 0)
    summary.progress.push_back({end, count, last});
}

llvm::Expected<Summary>
vitc::tune::summarize(Store &store, int64_t session,
                      const std::map<int64_t, std::vector<Space>> &spaces) {
  Summary summary;
  auto row = store.getSession(session);
  if (!row)
    return row.takeError();
  summary.session = std::move(*row);
  auto kernels = store.getKernels(session);
  if (!kernels)
    return kernels.takeError();
  auto trials = store.getTrials(session);
  if (!trials)
    return trials.takeError();
  if (const json::Object *reasons =
          summary.session.options.getObject("not_tuned"))
    for (const auto &[kernel, reason] : *reasons)
      summary.notTuned.push_back(
          {kernel.str(), reason.getAsString().value_or("").str()});
  llvm::sort(summary.notTuned);

  double flops = 0, &peak = summary.peak;
  for (const TrialRow &trial : *trials)
    peak = std::max(peak, trial.result.peak);
  for (KernelRow &kernel : *kernels) {
    KernelSummary entry;
    entry.kernel = std::move(kernel);
    std::vector<const TrialRow *> own;
    for (const TrialRow &trial : *trials)
      if (trial.kernel == entry.kernel.id && trial.isDone())
        own.push_back(&trial);
    fill(entry, own);
    if (auto found = spaces.find(entry.kernel.id); found != spaces.end())
      entry.importance = judgeImportance(entry.kernel, found->second, own,
                                         summary.session.threads);
    double work = entry.kernel.flops, calls = double(entry.kernel.calls);
    auto share = [&](double seconds) {
      return peak > 0 && seconds > 0 ? work / seconds / peak : 0;
    };
    entry.shareBefore = share(entry.defaultSeconds);
    entry.shareAfter = share(entry.bestSeconds);
    flops += work * calls;
    summary.defaultSeconds += entry.defaultSeconds * calls;
    summary.bestSeconds += entry.bestSeconds * calls;
    summary.trials += entry.trials;
    for (unsigned i = 0; i < outcomeCount; ++i)
      summary.outcomes[i] += entry.outcomes[i];
    summary.kernels.push_back(std::move(entry));
  }
  summary.measured = summary.outcomes[size_t(Outcome::Ok)];
  if (peak > 0 && summary.bestSeconds > 0) {
    summary.shareAfter = flops / summary.bestSeconds / peak;
    if (summary.defaultSeconds > 0)
      summary.shareBefore = flops / summary.defaultSeconds / peak;
  }
  addProgress(summary, *trials);
  llvm::sort(summary.kernels,
             [](const KernelSummary &a, const KernelSummary &b) {
               return a.bestSeconds * double(a.kernel.calls) >
                      b.bestSeconds * double(b.kernel.calls);
             });
  return summary;
}

std::vector<Importance> vitc::tune::judgeImportance(
    const KernelRow &kernel, llvm::ArrayRef<Space> spaces,
    llvm::ArrayRef<const TrialRow *> trials, int64_t threads) {
  std::vector<Importance> result;
  for (const Space &space : spaces) {
    Search search(kernel, space, threads, Strategy::Evolution, /*seed=*/1);
    std::vector<Features> samples;
    std::vector<float> costs;
    for (const TrialRow *trial : trials)
      if (trial->isSearch() && trial->backend == space.backend &&
          trial->result.outcome == Outcome::Ok) {
        samples.push_back(search.features(trial->result.schedule));
        costs.push_back(std::log2(float(trial->score)));
      }
    CostModel model;
    model.train(samples, costs);
    if (!model.hasOpinion())
      continue;
    std::vector<double> shares = search.parameterImportance(model.importance());
    for (auto [parameter, share] : llvm::zip(space.parameters, shares))
      if (share > 0)
        result.push_back(
            {(spaces.size() > 1 ? space.backend + " " : "") + parameter.name,
             parameter.meaning, share});
  }
  llvm::stable_sort(result, [](const Importance &a, const Importance &b) {
    return a.share > b.share;
  });
  return result;
}

static json::Object
outcomesToJson(const std::array<unsigned, outcomeCount> &counts) {
  json::Object object;
  for (unsigned i = 0; i < outcomeCount; ++i)
    object[nameOf(Outcome(i))] = counts[i];
  return object;
}

json::Object Summary::toJson() const {
  json::Array list, curve, skipped;
  for (const KernelSummary &entry : kernels) {
    json::Array shares;
    for (const Importance &one : entry.importance)
      shares.push_back(json::Object{{"parameter", one.parameter},
                                    {"meaning", one.meaning},
                                    {"share", one.share}});
    list.push_back(
        json::Object{{"name", entry.kernel.name},
                     {"family", entry.kernel.family},
                     {"target", entry.kernel.target},
                     {"calls", entry.kernel.calls},
                     {"flops", entry.kernel.flops},
                     {"trials", entry.trials},
                     {"outcomes", outcomesToJson(entry.outcomes)},
                     {"default_seconds", entry.defaultSeconds},
                     {"best_seconds", entry.bestSeconds},
                     {"speedup", entry.speedup()},
                     {"share_of_peak_before", entry.shareBefore},
                     {"share_of_peak_after", entry.shareAfter},
                     {"noise", entry.noise},
                     {"backend", entry.backend},
                     {"default_schedule", json::Object(entry.defaultSchedule)},
                     {"best_schedule", json::Object(entry.bestSchedule)},
                     {"schedule_in_words", entry.words()},
                     {"kept", entry.kept},
                     {"importance", std::move(shares)}});
  }
  for (const Point &point : progress)
    curve.push_back(json::Object{{"seconds", point.seconds},
                                 {"trials", point.trials},
                                 {"model_seconds", point.modelSeconds}});
  for (const auto &[kernel, reason] : notTuned)
    skipped.push_back(json::Object{{"kernel", kernel}, {"reason", reason}});
  return json::Object{{"session", session.id},
                      {"model", session.model},
                      {"target", session.target},
                      {"cpu", session.cpu},
                      {"machine", session.machine},
                      {"command", session.command},
                      {"threads", session.threads},
                      {"date", timestamp(session.created)},
                      {"finished", session.finished},
                      {"exhausted", session.exhausted},
                      {"seconds", session.seconds},
                      {"peak_flops", peak},
                      {"trials", trials},
                      {"measured", measured},
                      {"outcomes", outcomesToJson(outcomes)},
                      {"default_seconds", defaultSeconds},
                      {"best_seconds", bestSeconds},
                      {"speedup", speedup()},
                      {"share_of_peak_before", shareBefore},
                      {"share_of_peak_after", shareAfter},
                      {"kernels", std::move(list)},
                      {"not_tuned", std::move(skipped)},
                      {"progress", std::move(curve)}};
}
