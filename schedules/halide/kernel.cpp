// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

static const Family<Kernel> families[] = {
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

std::vector<std::string> familyNames() { return namesOf(families); }

Kernel buildKernel(const KernelSpec &spec, Schedule::Mode mode) {
  return buildFrom(families, spec, mode);
}

} // namespace vitc::halide
