// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

using namespace Halide;

namespace vitc::halide {

ImageParam Kernel::input(const std::string &name,
                         const std::vector<Dimension> &dimensions,
                         int alignment, Type type) {
  checkSize(name, dimensions);
  ImageParam param(type, int(dimensions.size()), name);
  for (size_t i = 0; i < dimensions.size(); ++i)
    param.dim(int(i))
        .set_bounds(0, int(dimensions[i].extent))
        .set_stride(int(dimensions[i].stride));
  param.set_host_alignment(alignment);
  inputs.push_back(param);
  buffers.insert(buffers.begin() + (inputs.size() - 1),
                 Buffer{name, dimensions, /*argument=*/name, /*offset=*/0,
                        alignment, type});
  return param;
}

ImageParam Kernel::inputAs(Type type, const std::string &name,
                           const std::vector<Dimension> &dimensions,
                           Type argument) {
  ImageParam param = input(name, dimensions, lineAlignment, type);
  buffers[inputs.size() - 1].type = argument;
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
  buffers.push_back(Buffer{name, dimensions, /*argument=*/name, /*offset=*/0,
                           alignment, func.type()});
}

void Kernel::scratch(Func func, const std::string &name,
                     const std::vector<Dimension> &dimensions) {
  output(func, name, dimensions);
  buffers.back().argument = "scratch";
  buffers.back().offset = scratchFloats;
  const Dimension &outermost = dimensions.back();
  scratchFloats += outermost.extent * outermost.stride;
}

Type storedType(families::WeightFormat format) {
  switch (format) {
  case families::WeightFormat::F32:
    return Float(32);
  case families::WeightFormat::F16:
    return Float(16);
  case families::WeightFormat::Bf16:
    return UInt(16);
  case families::WeightFormat::I8:
    return Int(8);
  }
  throw std::logic_error("unknown format");
}

Expr fromBf16(const Expr &bits) {
  return reinterpret<float>(cast<uint32_t>(bits) << 16);
}

Expr widened(const Expr &stored, families::WeightFormat format) {
  return format == families::WeightFormat::Bf16 ? fromBf16(stored)
                                                : cast<float>(stored);
}

std::vector<BuiltArgument> builtArguments(const Kernel &kernel) {
  std::vector<BuiltArgument> result;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const std::string &name = kernel.buffers[i].argument;
    bool isOutput = i >= kernel.inputs.size();
    // Parts of the scratch are one argument.
    if (result.empty() || result.back().name != name ||
        result.back().isOutput != isOutput)
      result.push_back({name, isOutput});
  }
  return result;
}

static const Family<Kernel> table[] = {
#define VITC_FAMILY(name) family<families::name##Spec, build##name>(),
    VITC_HALIDE_FAMILIES(VITC_FAMILY)
#undef VITC_FAMILY
};

std::vector<std::string> familyNames() { return namesOf(table); }

Kernel buildKernel(const KernelSpec &spec, Schedule::Mode mode) {
  return buildFrom(table, spec, mode);
}

} // namespace vitc::halide
