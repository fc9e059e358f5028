// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Search.h"

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
    if (parameter.values.size() > 1 && (threads > 1 || !parameter.forThreads))
      free.push_back(&parameter);
}

//===----------------------------------------------------------------------===//
// Wishes
//===----------------------------------------------------------------------===//

json::Object Search::randomWish() {
  json::Object wish;
  for (const Parameter *parameter : free)
    wish[parameter->name] = parameter->values[below(parameter->values.size())];
  return wish;
}

/// One or two parameters change, more often to a neighbouring value than to any
/// other. What else has to change with them is for the backend to say, so the
/// parameters that are not searched are left open.
json::Object Search::mutate(const json::Object &parent) {
  json::Object wish;
  for (const Parameter *parameter : free)
    if (auto value = parent.getInteger(parameter->name))
      wish[parameter->name] = *value;
  for (size_t changes = 1 + below(2); changes > 0; --changes) {
    const Parameter &parameter = *free[below(free.size())];
    const std::vector<int64_t> &values = parameter.values;
    int64_t now = wish.getInteger(parameter.name).value_or(parameter.standard);
    size_t place = size_t(llvm::lower_bound(values, now) - values.begin());
    constexpr size_t farJumps = 3; // one of so many
    if (below(farJumps) == 0)
      place = below(values.size());
    else
      place = below(2) && place + 1 < values.size() ? place + 1
              : place > 0                           ? place - 1
                                                    : 0;
    wish[parameter.name] = values[std::min(place, values.size() - 1)];
  }
  return wish;
}

json::Object Search::cross(const json::Object &a, const json::Object &b) {
  json::Object wish;
  for (const Parameter *parameter : free)
    if (auto value = (below(2) ? a : b).getInteger(parameter->name))
      wish[parameter->name] = *value;
  return wish;
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
    if (trial->kind != TrialKind::Search || trial->backend != space.backend)
      continue;
    known.insert(scheduleText(trial->schedule));
    known.insert(scheduleText(trial->result.schedule));
    if (trial->state == "done" && trial->result.outcome == Outcome::Ok)
      good.push_back(trial);
  }
  llvm::sort(good, [](const TrialRow *a, const TrialRow *b) {
    return a->score < b->score;
  });

  // Children of the best few, and some strangers so that no corner is
  // forgotten.
  constexpr size_t parents = 10, wishCount = 96;
  const size_t strangers =
      strategy == Strategy::Random || good.empty() ? wishCount : wishCount / 4;
  if (good.size() > parents)
    good.resize(parents);
  std::vector<json::Object> wishes;
  while (wishes.size() < strangers)
    wishes.push_back(randomWish());
  while (wishes.size() < wishCount) {
    const json::Object &one = good[below(good.size())]->result.schedule;
    const json::Object &two = good[below(good.size())]->result.schedule;
    wishes.push_back(below(3) == 0 ? mutate(cross(one, two)) : mutate(one));
  }
  llvm::Expected<std::vector<json::Object>> schedules = space.complete(wishes);
  if (!schedules)
    return schedules.takeError();

  struct Idea {
    json::Object schedule;
    float cost;
  };
  std::vector<Idea> ideas;
  bool judged = strategy == Strategy::Evolution && model.hasOpinion();
  for (json::Object &schedule : *schedules)
    if (known.insert(scheduleText(schedule)).second) {
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
  // Kernels of a family differ in sizes only; the sizes stand in a fixed order.
  static constexpr llvm::StringLiteral sizes[] = {
      "m",     "n",        "k",       "rows",    "cols",     "tokens",
      "heads", "head_dim", "queries", "batch",   "channels", "height",
      "width", "panel",    "out_h",   "kernel_h"};
  for (llvm::StringRef size : sizes)
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
