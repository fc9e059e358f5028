// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vitc::schedules {

Values &Values::dividing(int number, const std::string &what) {
  whole = number;
  wholeName = what;
  return *this;
}

Values &Values::multipleOf(int number, const std::string &what) {
  unit = number;
  unitName = what;
  return *this;
}

Values &Values::worthwhileUpTo(int budget) {
  worthwhile = std::min(most, std::max(least, budget));
  return *this;
}

Values &Values::worthwhileFrom(int number) {
  fewest = std::min(most, std::max(least, number));
  return *this;
}

Values &Values::forThreads() {
  threads = true;
  return *this;
}

std::string Values::complaint(int value) const {
  std::string text = std::to_string(value);
  if (value < least)
    return text + " is less than " + std::to_string(least);
  if (value > most)
    return text + " is more than " + std::to_string(most);
  if (whole && whole % value != 0)
    return text + " does not divide " + wholeName;
  if (value % unit != 0)
    return text + " is not a multiple of " + unitName;
  return "";
}

/// Ratios are what matters, but 0 has none to anything.
static double distance(int a, int b) {
  return std::abs(std::log((a + 0.5) / (b + 0.5)));
}

int Values::nearest(int proposal) const {
  proposal = std::max(proposal, 0);
  int best = proposal;
  double shortest = std::numeric_limits<double>::infinity();
  for (int value = least; value <= most; ++value)
    if (distance(value, proposal) < shortest && complaint(value).empty()) {
      best = value;
      shortest = distance(value, proposal);
    }
  return best;
}

std::vector<int> Values::candidates(int standard) const {
  // All of a few; of many, those that differ by a step that a timing can see.
  constexpr int few = 12;
  constexpr double step = 0.2;
  std::vector<int> all, result;
  for (int value = fewest; value <= worthwhile; ++value)
    if (complaint(value).empty())
      all.push_back(value);
  for (int value : all)
    if (all.size() <= few || result.empty() || value == all.back() ||
        distance(value, result.back()) >= step)
      result.push_back(value);
  if (std::find(result.begin(), result.end(), standard) == result.end())
    result.insert(std::upper_bound(result.begin(), result.end(), standard),
                  standard);
  return result;
}

int Schedule::get(const std::string &name, const std::string &meaning,
                  int standard, const Values &values) {
  int value = standard;
  if (fields.has(name)) {
    value = fields.integer(name, std::numeric_limits<int>::min());
    if (mode == Mode::Nearest)
      value = values.nearest(value);
  }
  std::string complaint = values.complaint(value);
  if (!complaint.empty())
    fields.fail(name, complaint);
  result.values[name] = value;
  result.parameters.push_back({name, meaning, standard,
                               values.candidates(standard),
                               values.areForThreads()});
  return value;
}

} // namespace vitc::schedules
