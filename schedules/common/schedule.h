// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Schedule parameters. Each is declared once, where a kernel reads it; that
/// declaration checks what a specification fixes, fills in the rest, and
/// describes the space that a tuner searches (docs/KernelProtocol.md).
#ifndef VITC_SCHEDULES_COMMON_SCHEDULE_H
#define VITC_SCHEDULES_COMMON_SCHEDULE_H

#include "common/spec.h"

#include <optional>

namespace vitc::schedules {

/// The values that a parameter may have, given those that were read before it.
class Values {
public:
  Values(int least, int most)
      : least(least), most(most), fewest(least), worthwhile(most) {}

  /// Only divisors of `whole`, which messages call `what`: "the 8 steps of k".
  Values &dividing(int whole, const std::string &what);
  /// Only multiples of `unit`, which messages call `what`: "tile_m 6".
  Values &multipleOf(int unit, const std::string &what);
  /// More is allowed, but not worth a try: a budget of registers or of cache.
  Values &worthwhileUpTo(int budget);
  /// The same for less: passes too short, vectors half empty.
  Values &worthwhileFrom(int fewest);
  /// The parameter only shares work out: it is of no use to one thread, whose
  /// time would mislead about it.
  Values &forThreads();

  /// What is wrong with `value`, or an empty string.
  std::string complaint(int value) const;
  /// The allowed value nearest to `proposal` by ratio, or `proposal` if there
  /// is none.
  int nearest(int proposal) const;
  /// What is worth trying, some 16 values at most, `standard` among them.
  std::vector<int> candidates(int standard) const;
  bool areForThreads() const { return threads; }

private:
  /// The allowed divisors of `whole`, in order.
  std::vector<int> divisors() const;
  /// The allowed value next to `bound` on either side.
  std::optional<int> atLeast(int64_t bound) const;
  std::optional<int> atMost(int64_t bound) const;

  int least, most, fewest, worthwhile, whole = 0, unit = 1;
  std::string wholeName, unitName;
  bool threads = false;
};

/// The parameters of one kernel.
class Schedule {
public:
  struct Parameter {
    std::string name, meaning;
    int standard; ///< what the default rule says
    std::vector<int> candidates;
    bool forThreads;
  };
  /// What is left when all was read.
  struct Result {
    /// Every parameter's value, so that a report can be given back as a
    /// schedule.
    nlohmann::ordered_json values;
    std::vector<Parameter> parameters;
  };
  /// Strict: a value that is not allowed is an error. Nearest: it gives way to
  /// the nearest one that is.
  enum class Mode { Strict, Nearest };

  explicit Schedule(const nlohmann::ordered_json &object,
                    Mode mode = Mode::Strict)
      : fields(object, "schedule"), mode(mode) {}

  /// The parameter `name`: what the specification says, else `standard`.
  int get(const std::string &name, const std::string &meaning, int standard,
          const Values &values);
  /// The parameter that every family has.
  bool parallel(bool standard) {
    return get("parallel",
               "1: tasks are shared out among threads, 0: they are not",
               standard, Values(0, 1).forThreads());
  }
  void finish() const { fields.finish(); }

  const nlohmann::ordered_json &values() const { return result.values; }
  const Result &getResult() const { return result; }

private:
  Fields fields;
  Mode mode;
  Result result = {nlohmann::ordered_json::object(), {}};
};

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SCHEDULE_H
