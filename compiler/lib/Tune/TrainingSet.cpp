// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainingSet.h"

#include <cmath>

using namespace vitc::tune;

namespace {
struct Samples {
  std::vector<Features> features;
  std::vector<float> costs;
};
} // namespace

/// Searches with the same name share a model.
static std::string modelName(const KernelRow &kernel, const Space &space) {
  std::string name = space.backend + " " + kernel.family;
  for (const Parameter &parameter : space.parameters)
    name += " " + parameter.name;
  return name;
}

/// What the trials of one kernel by one backend teach. Costs are relative to
/// the kernel's best: what a schedule is worth, not how large the kernel is.
static void addSamples(const KernelRow &kernel, const Search &search,
                       llvm::ArrayRef<TrialRow> trials, Samples &samples) {
  double best = 0;
  for (const TrialRow &trial : trials)
    if (trial.kernel == kernel.id && trial.isSearch() && trial.isOk())
      best = best > 0 ? std::min(best, trial.score) : trial.score;
  if (best == 0)
    return;
  // A failure is as bad as four times the time.
  constexpr float failure = 2;
  for (const TrialRow &trial : trials) {
    if (trial.kernel != kernel.id || !trial.isSearch() || !trial.isDone() ||
        trial.backend != search.getSpace().backend || !trial.complaint.empty())
      continue;
    samples.features.push_back(search.features(trial.result.schedule.empty()
                                                   ? trial.schedule
                                                   : trial.result.schedule));
    samples.costs.push_back(
        trial.isOk() ? std::min(failure, float(std::log2(trial.score / best)))
                     : failure);
  }
}

CostModel &TrainingSet::modelFor(const KernelRow &kernel, const Search &search,
                                 llvm::ArrayRef<TunedKernel> targets,
                                 llvm::ArrayRef<TrialRow> trials) {
  std::string name = modelName(kernel, search.getSpace());
  Samples samples;
  for (const TunedKernel &target : targets)
    for (const auto &other : target.searches)
      if (modelName(*target.kernel, other->getSpace()) == name)
        addSamples(*target.kernel, *other, trials, samples);
  Learnt &learnt = models[name];
  if (learnt.samples != samples.costs.size()) {
    learnt.model.train(samples.features, samples.costs);
    learnt.samples = samples.costs.size();
  }
  return learnt.model;
}
