// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The documents that vitc-halide reads (docs/KernelProtocol.md): the input is
/// a JSON object with a specification (`spec`) and a list of schedules
/// (`proposals`). The kernel is built and its schedule space described; no code
/// is generated.
#include "Fuzz.h"

#include "common/space.h"
#include "kernel.h"

using namespace vitc::fuzz;
using namespace vitc::halide;

static Schedule::Result plan(const KernelSpec &spec, Schedule::Mode mode) {
  return buildKernel(spec, mode).schedule;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile specFile, proposalsFile;
  using Json = nlohmann::ordered_json;
  Json input = Json::parse(data, data + size, nullptr, false);
  if (!input.is_object() || !input.contains("spec"))
    return -1;
  auto printed = [](const Json &value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  BackendProgram program = {"halide", "Halide", "", familyNames(), {}, plan};
  try {
    KernelSpec spec = readSpec(specFile.write(printed(input["spec"])));
    (void)describeSpace(program, spec);
    if (input.contains("proposals"))
      (void)completeSchedules(program, spec,
                              proposalsFile.write(printed(input["proposals"])));
  } catch (const SpecError &error) {
    refused(error.what()); // The user's mistake, exit code 1.
  } catch (const Halide::Error &error) {
    fault(std::string("Halide refuses what the family has let through: ") +
          error.what());
  }
  return 0;
}
