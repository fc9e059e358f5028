// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Search.h"

#include "families/Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

std::string vitc::tune::scheduleText(const json::Object &schedule) {
  return llvm::formatv("{0}", json::Value(json::Object(schedule))).str();
}

Search::Search(const KernelRow &kernel, Space asked, int64_t threads,
               Strategy strategy, uint64_t seed)
    : kernel(kernel), space(std::move(asked)), strategy(strategy),
      random(seed) {
  for (const Parameter &parameter : space.parameters)
    if (parameter.values.size() > 1 && (threads > 1 || !parameter.forThreads)) {
      free.push_back(&parameter);
      // No session lives to see the end of a space that is larger than this.
      constexpr uint64_t largest = uint64_t(1) << 40;
      spaceSize = std::min(spaceSize * parameter.values.size(), largest);
    }
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

json::Object Search::drawRandom() {
  json::Object proposal;
  for (const Parameter *parameter : free)
    proposal[parameter->name] =
        parameter->values[below(parameter->values.size())];
  return proposal;
}

/// One or two parameters change, more often to a neighbouring value than to any
/// other. What else has to change with them is for the backend to say, so the
/// parameters that are not searched are left open.
json::Object Search::mutate(const json::Object &parent) {
  json::Object proposal;
  for (const Parameter *parameter : free)
    if (auto value = parent.getInteger(parameter->name))
      proposal[parameter->name] = *value;
  for (size_t changes = 1 + below(2); changes > 0; --changes) {
    const Parameter &parameter = *free[below(free.size())];
    const std::vector<int64_t> &values = parameter.values;
    int64_t now =
        proposal.getInteger(parameter.name).value_or(parameter.standard);
    size_t place = size_t(llvm::lower_bound(values, now) - values.begin());
    constexpr size_t farJumps = 3; // one of so many
    if (below(farJumps) == 0)
      place = below(values.size());
    else
      place = below(2) && place + 1 < values.size() ? place + 1
              : place > 0                           ? place - 1
                                                    : 0;
    proposal[parameter.name] = values[std::min(place, values.size() - 1)];
  }
  return proposal;
}

json::Object Search::cross(const json::Object &a, const json::Object &b) {
  json::Object proposal;
  for (const Parameter *parameter : free)
    if (auto value = (below(2) ? a : b).getInteger(parameter->name))
      proposal[parameter->name] = *value;
  return proposal;
}

//===----------------------------------------------------------------------===//
// The whole space
//===----------------------------------------------------------------------===//

/// The next `count` combinations of the searched parameters' values, counted as
/// a number whose digits are the values' places.
std::vector<json::Object> Search::enumerate(size_t count) const {
  std::vector<json::Object> proposals;
  for (uint64_t number = visited; number < spaceSize && count > 0;
       ++number, --count) {
    json::Object &proposal = proposals.emplace_back();
    uint64_t rest = number;
    for (const Parameter *parameter : free) {
      proposal[parameter->name] =
          parameter->values[rest % parameter->values.size()];
      rest /= parameter->values.size();
    }
  }
  return proposals;
}

llvm::Expected<std::vector<json::Object>>
Search::findUntried(std::set<std::string> &known) {
  constexpr size_t atOnce = 128;
  std::vector<json::Object> untried;
  while (untried.empty() && visited < spaceSize) {
    std::vector<json::Object> proposals = enumerate(atOnce);
    llvm::Expected<std::vector<json::Object>> schedules =
        space.complete(proposals);
    if (!schedules)
      return schedules.takeError();
    for (json::Object &schedule : *schedules)
      if (known.insert(scheduleText(schedule)).second)
        untried.push_back(std::move(schedule));
    // Where something is left, the next call begins here once more: not all of
    // it may be tried now.
    if (untried.empty())
      visited += proposals.size();
  }
  return untried;
}

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<TrialRow>>
Search::propose(llvm::ArrayRef<const TrialRow *> trials, const CostModel &model,
                unsigned count) {
  std::set<std::string> known;
  std::vector<const TrialRow *> good;
  for (const TrialRow *trial : trials) {
    if (!trial->isSearch() || trial->backend != space.backend ||
        trial->state == TrialState::Cancelled || !trial->complaint.empty())
      continue;
    known.insert(scheduleText(trial->schedule));
    known.insert(scheduleText(trial->result.schedule));
    if (trial->isOk())
      good.push_back(trial);
  }
  llvm::sort(good, [](const TrialRow *a, const TrialRow *b) {
    return a->score < b->score;
  });

  // Children of the best few, and some random candidates so that no corner is
  // forgotten.
  constexpr size_t parents = 10, proposalCount = 96;
  const size_t randomCount = strategy == Strategy::Random || good.empty()
                                 ? proposalCount
                                 : proposalCount / 4;
  if (good.size() > parents)
    good.resize(parents);
  std::vector<json::Object> drawn;
  while (drawn.size() < randomCount)
    drawn.push_back(drawRandom());
  while (drawn.size() < proposalCount) {
    const json::Object &one = good[below(good.size())]->result.schedule;
    const json::Object &two = good[below(good.size())]->result.schedule;
    drawn.push_back(below(3) == 0 ? mutate(cross(one, two)) : mutate(one));
  }
  llvm::Expected<std::vector<json::Object>> schedules = space.complete(drawn);
  if (!schedules)
    return schedules.takeError();
  std::vector<json::Object> untried;
  for (json::Object &schedule : *schedules)
    if (known.insert(scheduleText(schedule)).second)
      untried.push_back(std::move(schedule));
  // Draws that meet only what is known do not mean that there is no more.
  if (untried.empty()) {
    auto found = findUntried(known);
    if (!found)
      return found.takeError();
    untried = std::move(*found);
  }

  struct Idea {
    json::Object schedule;
    float cost;
  };
  std::vector<Idea> ideas;
  bool judged = strategy == Strategy::Evolution && model.hasOpinion();
  for (json::Object &schedule : untried) {
    float cost = judged ? model.predict(features(schedule)) : 0;
    ideas.push_back({std::move(schedule), cost});
  }
  // One in eight whatever the model thinks of it: it learns from surprises.
  constexpr unsigned surprises = 8;
  if (!judged)
    std::shuffle(ideas.begin(), ideas.end(), random);
  else
    llvm::stable_sort(
        ideas, [](const Idea &a, const Idea &b) { return a.cost < b.cost; });
  std::vector<TrialRow> proposals;
  while (proposals.size() < count && !ideas.empty()) {
    size_t chosen = judged && below(surprises) == 0 ? below(ideas.size()) : 0;
    TrialRow trial;
    trial.kernel = kernel.id;
    trial.backend = space.backend;
    trial.schedule = std::move(ideas[chosen].schedule);
    trial.proposer = strategy == Strategy::Random || good.empty() ? "random"
                     : judged                                     ? "model"
                                                                  : "evolution";
    proposals.push_back(std::move(trial));
    ideas.erase(ideas.begin() + long(chosen));
  }
  return proposals;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

Features Search::features(const json::Object &schedule) const {
  Features result, logarithms;
  for (const Parameter &parameter : space.parameters)
    logarithms.push_back(std::log2(
        1.0f +
        float(
            schedule.getInteger(parameter.name).value_or(parameter.standard))));
  result = logarithms;
  for (size_t i = 0; i < logarithms.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      result.push_back(logarithms[i] + logarithms[j]);
  // Kernels of a family differ in sizes only.
  for (const std::string &size : families::sizeNames(kernel.family))
    result.push_back(
        std::log2(1.0f + float(kernel.spec.getInteger(size).value_or(0))));
  return result;
}

std::vector<double>
Search::parameterImportance(const std::vector<double> &shares) const {
  size_t count = space.parameters.size(), next = count;
  std::vector<double> result(shares.begin(), shares.begin() + long(count));
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j, ++next) {
      result[i] += shares[next] / 2;
      result[j] += shares[next] / 2;
    }
  return result;
}
