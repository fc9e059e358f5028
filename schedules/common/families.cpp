// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/families.h"

namespace vitc::schedules {

void checkArguments(const std::vector<BuiltArgument> &built,
                    const std::vector<families::Argument> &defined) {
  auto matches = [](const BuiltArgument &built,
                    const families::Argument &defined) {
    return built.name == defined.name &&
           built.isOutput == families::isWritten(defined.role);
  };
  std::string wanted, found;
  bool same = built.size() == defined.size();
  for (size_t i = 0; i < defined.size(); ++i) {
    wanted += std::string(i == 0 ? "" : ", ") + defined[i].name;
    same = same && matches(built[i], defined[i]);
  }
  for (size_t i = 0; i < built.size(); ++i)
    found += (i == 0 ? "" : ", ") + built[i].name;
  if (!same)
    throw std::logic_error("the kernel has the arguments " + found +
                           ", but its family is defined with " + wanted);
}

} // namespace vitc::schedules
