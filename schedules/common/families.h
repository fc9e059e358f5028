// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A backend's table of kernel families, and how a specification finds its own.
#ifndef VITC_SCHEDULES_COMMON_FAMILIES_H
#define VITC_SCHEDULES_COMMON_FAMILIES_H

#include "common/machine.h"
#include "common/schedule.h"

namespace vitc::schedules {

/// `Kernel` is what the backend makes of a specification; its field `schedule`
/// takes what was read of one.
template <typename Kernel>
struct Family {
  const char *name;
  Kernel (*build)(const nlohmann::ordered_json &, Schedule &, const Machine &);
};

/// An argument of a kernel as a backend has made it.
struct BuiltArgument {
  std::string name;
  bool isOutput;
};

/// Ends the program if a kernel's arguments are not those that its family is
/// defined with, in that order: a caller would hand over the wrong pointers.
void checkArguments(const std::vector<BuiltArgument> &built,
                    const std::vector<families::Argument> &defined);

/// How a specification is read and built: `Build` takes the family's fields.
/// The backend has builtArguments(kernel).
template <typename Spec, auto Build>
struct Builder {
  static auto build(const nlohmann::ordered_json &fields, Schedule &schedule,
                    const Machine &machine) {
    Spec spec;
    if (auto problem = spec.read(fieldValues(fields)))
      throw SpecError("spec." + problem->name + ": " + problem->message);
    auto kernel = Build(spec.narrow(), schedule, machine);
    checkArguments(builtArguments(kernel), spec.arguments());
    return kernel;
  }
};

/// A row of a backend's table.
template <typename Spec, auto Build>
constexpr auto family() {
  using Kernel = decltype(Build(std::declval<typename Spec::Shape>(),
                                std::declval<Schedule &>(),
                                std::declval<const Machine &>()));
  return Family<Kernel>{Spec::family, Builder<Spec, Build>::build};
}

template <typename Kernel, size_t Count>
std::vector<std::string> namesOf(const Family<Kernel> (&families)[Count]) {
  std::vector<std::string> names;
  for (const Family<Kernel> &family : families)
    names.push_back(family.name);
  return names;
}

/// Reads the rest of `spec` with its family's builder.
template <typename Kernel, size_t Count>
Kernel buildFrom(const Family<Kernel> (&families)[Count],
                 const KernelSpec &spec, Schedule::Mode mode) {
  Machine machine = machineFor(spec.target);
  std::string list;
  for (const Family<Kernel> &family : families) {
    if (spec.family == family.name) {
      Schedule schedule(spec.schedule, mode);
      Kernel kernel = family.build(spec.spec, schedule, machine);
      schedule.finish();
      kernel.schedule = schedule.getResult();
      return kernel;
    }
    list += (list.empty() ? "" : ", ") + std::string(family.name);
  }
  throw SpecError("family: '" + spec.family + "' is not one of " + list);
}

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_FAMILIES_H
