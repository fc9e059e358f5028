#include "kernel.h"

using namespace Halide;

namespace vitc::halide {

ImageParam Kernel::input(const std::string &name,
                         const std::vector<Dimension> &dimensions,
                         int alignment) {
  checkSize(name, dimensions);
  ImageParam param(Float(32), int(dimensions.size()), name);
  for (size_t i = 0; i < dimensions.size(); ++i)
    param.dim(int(i))
        .set_bounds(0, int(dimensions[i].extent))
        .set_stride(int(dimensions[i].stride));
  param.set_host_alignment(alignment);
  inputs.push_back(param);
  buffers.insert(
      buffers.begin() + (inputs.size() - 1),
      Buffer{name, dimensions, /*argument=*/name, /*offset=*/0, alignment});
  return param;
}

void Kernel::output(Func func, const std::string &name,
                    const std::vector<Dimension> &dimensions, int alignment) {
  checkSize(name, dimensions);
  OutputImageParam buffer = func.output_buffer();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    buffer.dim(int(i))
        .set_bounds(0, int(dimensions[i].extent))
        .set_stride(int(dimensions[i].stride));
    func.bound(func.args()[i], 0, int(dimensions[i].extent));
  }
  buffer.set_host_alignment(alignment);
  outputs.push_back(func);
  buffers.push_back(
      Buffer{name, dimensions, /*argument=*/name, /*offset=*/0, alignment});
}

void Kernel::scratch(Func func, const std::string &name,
                     const std::vector<Dimension> &dimensions) {
  output(func, name, dimensions);
  buffers.back().argument = "scratch";
  buffers.back().offset = scratchFloats;
  const Dimension &outermost = dimensions.back();
  scratchFloats += outermost.extent * outermost.stride;
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
    {"conv", buildConv},
    {"copy", buildCopy},
    {"depthwise", buildDepthwise},
    {"gate", buildGate},
    {"gemm", buildGemm},
    {"group_norm", buildGroupNorm},
    {"norm", buildNorm},
    {"patch_embed", buildPatchEmbed},
    {"pool", buildPool},
    {"resize", buildResize},
    {"rotate", buildRotate},
    {"scale", buildScale},
    {"single_query_attention", buildSingleQueryAttention},
    {"softmax", buildSoftmax},
    {"space_to_depth", buildSpaceToDepth},
    {"spatial_pool", buildSpatialPool},
    {"window", buildWindow},
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

} // namespace vitc::halide
