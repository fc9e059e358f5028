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

namespace {
struct Family {
  const char *name;
  Kernel (*build)(Fields &, Schedule &, const Machine &);
};
} // namespace

static const Family families[] = {
    {"activation", buildActivation},
    {"add", buildAdd},
    {"affine", buildAffine},
    {"attention", buildAttention},
    {"copy", buildCopy},
    {"gemm", buildGemm},
    {"norm", buildNorm},
    {"patch_embed", buildPatchEmbed},
    {"pool", buildPool},
    {"scale", buildScale},
    {"single_query_attention", buildSingleQueryAttention},
    {"softmax", buildSoftmax},
};

std::vector<std::string> familyNames() {
  std::vector<std::string> names;
  for (const Family &family : families)
    names.push_back(family.name);
  return names;
}

Kernel buildKernel(const KernelSpec &spec, Schedule::Mode mode) {
  Machine machine = machineFor(spec.target);
  std::string list;
  for (const Family &family : families) {
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

} // namespace vitc::tvm_backend
