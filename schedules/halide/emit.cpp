// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit.h"

#include "assemble.h"
#include "common/files.h"
#include "gpu/place.h"
#include "gpu/report.h"
#include "lane_broadcast.h"
#include "stack_bounds.h"
#include "target.h"
#include "tree_reduce.h"

#include <chrono>
#include <cstdlib>

using namespace Halide;

namespace vitc::halide {

std::string halideVersion() {
  return std::to_string(HALIDE_VERSION_MAJOR) + "." +
         std::to_string(HALIDE_VERSION_MINOR) + "." +
         std::to_string(HALIDE_VERSION_PATCH);
}

/// The object's own symbol; the plain name belongs to the adapter.
static std::string objectSymbol(const KernelSpec &spec) {
  return spec.name + "_halide";
}

/// What a pointer to such elements points to in the protocol's functions: the
/// 16-bit floats have no type in C.
static std::string cType(const Type &type) {
  if (type.is_float() && type.bits() == 32)
    return "float";
  bool isUnsigned = !type.is_int();
  return (isUnsigned ? "uint" : "int") + std::to_string(type.bits()) + "_t";
}

/// The plain function. On a CPU it wraps its pointers in buffers with constant
/// shapes; on a GPU the runtime finds the buffers' twins on the device, and may
/// write to the shapes.
static std::string adapterText(const Kernel &kernel, const KernelSpec &spec,
                               bool gpu) {
  size_t inputs = kernel.inputs.size();
  std::string arrays, locals, objectParameters, parameters, arguments, last;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Kernel::Buffer &buffer = kernel.buffers[i];
    std::string dimensions;
    for (const Dimension &dimension : buffer.dimensions)
      dimensions += (dimensions.empty() ? "" : ", ") +
                    ("{0, " + std::to_string(dimension.extent) + ", ") +
                    std::to_string(dimension.stride) + ", 0}";
    (gpu ? locals : arrays) +=
        (gpu ? "  HalideDimension " : "static constexpr HalideDimension ") +
        buffer.name + "Dimensions[] = {" + dimensions + "};\n";
    std::string pointer = buffer.argument;
    if (buffer.offset != 0)
      pointer += " + " + std::to_string(buffer.offset);
    locals += "  HalideBuffer " + buffer.name +
              "Buffer = " + (gpu ? "deviceBuffer(context, " : "halideBuffer(") +
              pointer + ", " + buffer.name + "Dimensions, " +
              std::to_string(buffer.dimensions.size()) + ");\n";
    objectParameters += ", HalideBuffer *" + buffer.name;
    if (buffer.argument != last) // parts of the scratch follow each other
      parameters += (i < inputs ? ", const " : ", ") + cType(buffer.type) +
                    " *" + (last = buffer.argument);
    arguments += ", &" + buffer.name + "Buffer";
  }
  return headline("halide", "Halide", halideVersion(), spec) +
         "#include \"vitc/runtime/" + (gpu ? "device" : "halide") +
         "_abi.h\"\n\n" + "using vitc::rt::HalideBuffer;\nusing vitc::rt::" +
         (gpu ? "device" : "halide") +
         "Buffer;\nusing "
         "vitc::rt::HalideDimension;\n\n" +
         "extern \"C\" int " + objectSymbol(spec) + "(void *context" +
         objectParameters + ");\n\n" + arrays + "\nextern \"C\" void " +
         spec.name + "(void *context" + parameters + ") {\n" + locals + "  " +
         objectSymbol(spec) + "(context" + arguments + ");\n}\n";
}

/// Whether some operand has fewer bits than float32.
static bool isNarrow(const Kernel &kernel) {
  for (const Kernel::Buffer &buffer : kernel.buffers)
    if (buffer.type.bits() < 32)
      return true;
  return false;
}

/// Halide's way to LLVM's own options; what the user has set is left alone.
/// LLVM would move loads from neighbouring addresses together. Of the left
/// operand's that are two vectors for one row, and a tile that needs every
/// register for one of each spills.
static void keepLoadsApart() {
  setenv("HL_LLVM_ARGS", "-misched-cluster=0", /*overwrite=*/0);
}

void emitKernel(const Kernel &kernel, const KernelSpec &spec,
                const EmitOptions &options, double milliseconds) {
  auto start = std::chrono::steady_clock::now();
  std::vector<Argument> arguments(kernel.inputs.begin(), kernel.inputs.end());
  Pipeline pipeline(kernel.outputs);
  for (const auto &pass : kernel.prefetches)
    pipeline.add_custom_lowering_pass(pass.get(), nullptr);
  std::unique_ptr<Internal::IRMutator> bounding(boundStack(kernel.stackFloats)),
      reducing(reduceByTree());
  pipeline.add_custom_lowering_pass(bounding.get(), nullptr);
  pipeline.add_custom_lowering_pass(reducing.get(), nullptr);
  Target target = halideTarget(spec.target, isNarrow(kernel));
  const Machine machine = machineFor(spec.target);
  std::unique_ptr<Internal::IRMutator> broadcasting(
      broadcastLanes(machine.lanes));
  if (machine.multipliesByLane) {
    pipeline.add_custom_lowering_pass(broadcasting.get(), nullptr);
    keepLoadsApart();
  }
  std::unique_ptr<Internal::IRMutator> placing(placeBuffers(kernel));
  if (machine.api == Api::OpenCl)
    pipeline.add_custom_lowering_pass(placing.get(), nullptr);
  // External alone: neither metadata nor the argv entry, which nobody would
  // call.
  Module module = pipeline.compile_to_module(arguments, objectSymbol(spec),
                                             target, LinkageType::External);

  FileSet files;
  std::string object = files.add(options.prefix + ".o");
  std::map<OutputFileType, std::string> outputs;
  std::string assembly;
  const bool fromText = !kernel.prefetches.empty() || machine.hasSeparateAdders;
  if (options.assembly)
    assembly = files.add(options.prefix + ".s");
  else if (fromText)
    assembly = files.addTemporary(options.prefix + ".s");
  if (!assembly.empty())
    outputs[OutputFileType::assembly] = assembly;
  if (!fromText)
    outputs[OutputFileType::object] = object;
  if (options.stmt)
    outputs[OutputFileType::stmt] = files.add(options.prefix + ".stmt");
  std::string deviceCode;
  if (machine.gpu())
    outputs[OutputFileType::device_code] = deviceCode =
        files.addTemporary(options.prefix + ".device");
  module.compile(outputs);
  if (fromText) {
    chooseInstructions(assembly,
                       /*integerBroadcasts=*/machine.hasSeparateAdders);
    assemble(assembly, object, target);
  }
  writeText(files.add(options.prefix + ".cpp"),
            adapterText(kernel, spec, machine.gpu()));

  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  nlohmann::ordered_json extra;
  if (machine.gpu())
    extra["launches"] = describeLaunches(module, machine, deviceCode);
  writeText(files.add(options.prefix + ".json"),
            reportText("halide", halideVersion(), spec, kernel.schedule.values,
                       object, milliseconds + elapsed.count(),
                       options.assembly ? assembly : "", extra));
  files.commit();
}

} // namespace vitc::halide
