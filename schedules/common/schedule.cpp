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

std::vector<int> Values::divisors() const {
  std::vector<int> result;
  for (int64_t small = 1; small * small <= whole; ++small)
    if (whole % small == 0) {
      result.push_back(int(small));
      if (small * small != whole)
        result.push_back(int(whole / small));
    }
  result.erase(
      std::remove_if(result.begin(), result.end(),
                     [&](int value) { return !complaint(value).empty(); }),
      result.end());
  std::sort(result.begin(), result.end());
  return result;
}

std::optional<int> Values::atLeast(int64_t bound) const {
  bound = std::max<int64_t>(bound, least);
  if (whole) {
    std::vector<int> all = divisors();
    auto found = std::lower_bound(all.begin(), all.end(), bound);
    return found == all.end() ? std::nullopt : std::optional(*found);
  }
  int64_t value = (bound + unit - 1) / unit * unit;
  return value > most ? std::nullopt : std::optional(int(value));
}

std::optional<int> Values::atMost(int64_t bound) const {
  bound = std::min<int64_t>(bound, most);
  if (whole) {
    std::vector<int> all = divisors();
    auto behind = std::upper_bound(all.begin(), all.end(), bound);
    return behind == all.begin() ? std::nullopt : std::optional(*(behind - 1));
  }
  int64_t value = bound / unit * unit;
  return bound < least || value < least ? std::nullopt
                                        : std::optional(int(value));
}

int Values::nearest(int proposal) const {
  proposal = std::max(proposal, 0);
  std::optional<int> below = atMost(proposal), above = atLeast(proposal);
  if (!below || !above)
    return below.value_or(above.value_or(proposal));
  return distance(*above, proposal) < distance(*below, proposal) ? *above
                                                                 : *below;
}

std::vector<int> Values::candidates(int standard) const {
  // All of a few; of many, those that differ by a step that a timing can see.
  // Ranges are as long as a kernel is large, so they are never gone through.
  constexpr size_t few = 12;
  constexpr double step = 0.2;
  std::vector<int> result;
  auto next = [&](int64_t bound) {
    std::optional<int> value = atLeast(bound);
    return value && *value <= worthwhile ? value : std::nullopt;
  };
  for (auto value = next(fewest); value && result.size() <= few;
       value = next(int64_t(*value) + 1))
    result.push_back(*value);
  if (result.size() > few) {
    result.resize(1);
    int last = *atMost(worthwhile);
    while (result.back() != last) {
      // The first number so far away, by halving.
      int64_t near = result.back(), far = last;
      while (far - near > 1) {
        int64_t middle = (near + far) / 2;
        (distance(int(middle), result.back()) >= step ? far : near) = middle;
      }
      result.push_back(*next(far));
    }
  }
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
