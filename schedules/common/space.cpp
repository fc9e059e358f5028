// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/space.h"

#include <fstream>

using Json = nlohmann::ordered_json;

namespace vitc::schedules {

Json describeSpace(const BackendProgram &program, const KernelSpec &spec) {
  Json parameters = Json::array();
  for (const Schedule::Parameter &parameter :
       program.plan(spec, Schedule::Mode::Strict).parameters)
    parameters.push_back({{"name", parameter.name},
                          {"meaning", parameter.meaning},
                          {"default", parameter.standard},
                          {"values", parameter.candidates},
                          {"for_threads", parameter.forThreads}});
  return {{"backend", program.name},
          {"version", program.version},
          {"parameters", parameters}};
}

Json completeSchedules(const BackendProgram &program, const KernelSpec &spec,
                       const std::string &path) {
  std::ifstream file(path);
  Json proposals = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!proposals.is_array())
    throw SpecError(path + ": expected a list of schedules");
  Json result = Json::array();
  for (const Json &proposal : proposals) {
    KernelSpec proposed = spec;
    proposed.schedule = proposal;
    try {
      result.push_back(program.plan(proposed, Schedule::Mode::Nearest).values);
    } catch (const SpecError &) {
      // Limits of several parameters together: the stack's size.
      result.push_back(nullptr);
    }
  }
  return result;
}

} // namespace vitc::schedules
