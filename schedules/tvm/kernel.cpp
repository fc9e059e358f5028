// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

namespace vitc::tvm_backend {

/// The extents alone.
static std::vector<int> shapeOf(const std::vector<Dimension> &dimensions) {
  std::vector<int> shape;
  for (const Dimension &dimension : dimensions)
    shape.push_back(int(dimension.extent));
  return shape;
}

Tensor Part::input(const std::string &argument,
                   const std::vector<Dimension> &dimensions, int64_t offset) {
  checkSize(argument, dimensions);
  std::string name = argument;
  for (const View &view : views)
    if (view.argument == argument)
      name += "_";
  views.push_back({argument, dimensions, offset});
  tensors.push_back(placeholder(name, shapeOf(dimensions)));
  return tensors.back();
}

void Part::output(const Tensor &tensor, const std::string &argument,
                  const std::vector<Dimension> &dimensions, int64_t offset) {
  checkSize(argument, dimensions);
  views.push_back({argument, dimensions, offset});
  tensors.push_back(tensor);
}

Loops &Part::schedule() {
  if (!loops)
    loops.emplace(tensors);
  return *loops;
}

int Stage::tasks() const {
  int count = 0;
  for (const Section &section : sections)
    count += section.tasks;
  return count;
}

void Kernel::stage(int tasks, bool parallel, Part part) {
  stages.push_back({{{tasks, {std::move(part)}}}, parallel});
}

std::vector<BuiltArgument> builtArguments(const Kernel &kernel) {
  return kernel.arguments;
}

static const Family<Kernel> table[] = {
#define VITC_FAMILY(name) family<families::name##Spec, build##name>(),
    VITC_TVM_FAMILIES(VITC_FAMILY)
#undef VITC_FAMILY
};

std::vector<std::string> familyNames() { return namesOf(table); }

Kernel buildKernel(const KernelSpec &spec, Schedule::Mode mode) {
  const Api api = machineFor(spec.target).api;
  if (api == Api::OpenCl ||
      (api == Api::Cuda && spec.family != families::GemmSpec::family))
    throw SpecError("target: vitc-tvm has no " + spec.family + " for " +
                    spec.target);
  return buildFrom(table, spec, mode);
}

} // namespace vitc::tvm_backend
