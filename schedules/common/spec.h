// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Strict reading of a kernel specification (docs/KernelProtocol.md). Every
/// field that is missing, unknown, of the wrong type or out of range ends in a
/// SpecError whose one line names it.
#ifndef VITC_SCHEDULES_COMMON_SPEC_H
#define VITC_SCHEDULES_COMMON_SPEC_H

#include <nlohmann/json.hpp>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace vitc::schedules {

/// The specification is wrong: the user's mistake, exit code 1.
struct SpecError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One JSON object whose fields are taken by name. `finish` complains about
/// those that nobody took.
class Fields {
public:
  /// `where` is put before the names in messages: "spec" gives "spec.tile_m".
  Fields(const nlohmann::ordered_json &object, std::string where);

  bool has(const std::string &name) const;
  int integer(const std::string &name, int least);
  double number(const std::string &name);
  bool flag(const std::string &name);
  std::string word(const std::string &name);
  std::string wordOf(const std::string &name,
                     const std::vector<std::string> &choices);
  /// The same for fields that may be left out, with what they then are.
  int integerOr(const std::string &name, int least, int otherwise);
  bool flagOr(const std::string &name, bool otherwise);
  std::string wordOr(const std::string &name,
                     const std::vector<std::string> &choices,
                     const std::string &otherwise);
  /// Exactly `count` integers of at least `least`.
  std::vector<int> integers(const std::string &name, size_t count, int least);
  const nlohmann::ordered_json &object(const std::string &name);

  [[noreturn]] void fail(const std::string &name,
                         const std::string &message) const;
  void finish() const;

private:
  const nlohmann::ordered_json &take(const std::string &name);
  int toInteger(const std::string &name, const nlohmann::ordered_json &value,
                int least) const;

  const nlohmann::ordered_json &json;
  std::string prefix;
  std::set<std::string> taken;
};

/// A specification file, its outer fields checked; the family reads `spec` and
/// `schedule`.
struct KernelSpec {
  std::string name, target, family;
  nlohmann::ordered_json spec, schedule;
};

KernelSpec readSpec(const std::string &path);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SPEC_H
