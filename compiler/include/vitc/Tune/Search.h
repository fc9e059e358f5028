// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Which schedules to try next.
#ifndef VITC_TUNE_SEARCH_H
#define VITC_TUNE_SEARCH_H

#include "vitc/Tune/CostModel.h"
#include "vitc/Tune/Space.h"

#include <random>
#include <set>

namespace vitc::tune {

enum class Strategy { Evolution, Random };

/// The search for one kernel. It keeps nothing that the store does not have:
/// every call is given all trials so far.
class Search {
public:
  /// With one thread, parameters that only share work out keep their defaults.
  Search(const KernelRow &kernel, Space space, int64_t threads,
         Strategy strategy, uint64_t seed);

  /// Up to `count` schedules that are not among `trials`; none when the space
  /// has no other. `model` may be without an opinion.
  llvm::Expected<std::vector<TrialRow>>
  propose(llvm::ArrayRef<const TrialRow *> trials, const CostModel &model,
          unsigned count);

  /// What the cost model sees of a schedule: the kernel's sizes, the parameters
  /// and the products of any two of them, all as logarithms.
  Features features(const llvm::json::Object &schedule) const;
  /// The share of the model's importance that falls on each parameter.
  std::vector<double>
  parameterImportance(const std::vector<double> &features) const;

  const Space &getSpace() const { return space; }
  /// Whether there is anything to choose.
  bool isOpen() const { return !free.empty(); }

private:
  llvm::json::Object drawRandom();
  llvm::json::Object mutate(const llvm::json::Object &parent);
  llvm::json::Object cross(const llvm::json::Object &a,
                           const llvm::json::Object &b);
  std::vector<llvm::json::Object> enumerate(size_t count) const;
  /// Some schedules that are not among `known`, which they are added to; none
  /// if there are none in the whole space.
  llvm::Expected<std::vector<llvm::json::Object>>
  findUntried(std::set<std::string> &known);
  size_t below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  }

  const KernelRow &kernel;
  Space space;
  std::vector<const Parameter *> free; ///< those that are searched
  uint64_t spaceSize = 1;              ///< combinations of their values
  uint64_t visited = 0; ///< of these, how many are known to be tried
  Strategy strategy;
  std::mt19937_64 random;
};

/// The text that tells schedules apart.
std::string scheduleText(const llvm::json::Object &schedule);

} // namespace vitc::tune

#endif // VITC_TUNE_SEARCH_H
