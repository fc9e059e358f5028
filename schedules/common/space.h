// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The space of a kernel's schedules, for tuners: what --space and --complete
/// print (docs/KernelProtocol.md).
#ifndef VITC_SCHEDULES_COMMON_SPACE_H
#define VITC_SCHEDULES_COMMON_SPACE_H

#include "common/command.h"

namespace vitc::schedules {

/// The parameters with their meaning, default and candidates, given what the
/// specification's own schedule fixes.
nlohmann::ordered_json describeSpace(const BackendProgram &program,
                                     const KernelSpec &spec);

/// For each proposal in `path`, a list of schedules, the allowed schedule next
/// to it; null where there is none.
nlohmann::ordered_json completeSchedules(const BackendProgram &program,
                                         const KernelSpec &spec,
                                         const std::string &path);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_SPACE_H
