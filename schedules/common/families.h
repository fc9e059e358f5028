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
  Kernel (*build)(Fields &, Schedule &, const Machine &);
};

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
      Fields fields(spec.spec, "spec");
      Schedule schedule(spec.schedule, mode);
      Kernel kernel = family.build(fields, schedule, machine);
      fields.finish();
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
