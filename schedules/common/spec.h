// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Strict reading of a kernel specification (docs/KernelProtocol.md). Every
/// field that is missing, unknown, of the wrong type or out of range ends in a
/// SpecError whose one line names it.
#ifndef VITC_SCHEDULES_COMMON_SPEC_H
#define VITC_SCHEDULES_COMMON_SPEC_H

#include "families/Families.h"

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
  std::string word(const std::string &name);
  const nlohmann::ordered_json &object(const std::string &name);

  [[noreturn]] void fail(const std::string &name,
                         const std::string &message) const;
  void finish() const;

private:
  const nlohmann::ordered_json &take(const std::string &name);

  const nlohmann::ordered_json &json;
  std::string prefix;
  std::set<std::string> taken;
};

/// The fields of `spec` as its family reads them.
families::FieldValues fieldValues(const nlohmann::ordered_json &spec);

/// The specification is wrong in a way that its family's definition does not
/// see. `field` is a pointer to the member.
template <typename Shape, typename Value>
[[noreturn]] void fail(Value Shape::*field, const std::string &message) {
  std::string found;
  Shape::visitFields([&](const char *name, auto member) {
    if constexpr (std::is_same_v<decltype(member), Value Shape::*>)
      if (member == field)
        found = name;
  });
  throw SpecError("spec." + found + ": " + message);
}

/// A specification file, its outer fields checked; the family reads `spec` and
/// `schedule`.
struct KernelSpec {
  std::string name, target, family;
  nlohmann::ordered_json spec, schedule;
};

KernelSpec readSpec(const std::string &path);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SPEC_H
