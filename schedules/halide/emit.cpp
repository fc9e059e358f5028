#include "emit.h"

#include "assemble.h"
#include "stack.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace Halide;

namespace vitc::halide {

namespace {

/// Files under temporary names, which become real together or vanish.
class FileSet {
public:
  ~FileSet() {
    for (const auto &[path, temporary] : files)
      std::remove(temporary.c_str());
    for (const std::string &path : helpers)
      std::remove(path.c_str());
  }

  /// The temporary name to write `path` under.
  std::string add(const std::string &path) {
    return files[path] = path + ".tmp" + std::to_string(getpid());
  }

  /// The same for a file that vanishes in any case.
  std::string addTemporary(const std::string &path) {
    return helpers.emplace_back(path + ".tmp" + std::to_string(getpid()));
  }

  void commit() {
    for (const auto &[path, temporary] : files)
      std::filesystem::rename(temporary, path);
    files.clear();
  }

private:
  std::map<std::string, std::string> files;
  std::vector<std::string> helpers;
};

} // namespace

std::string halideVersion() {
  return std::to_string(HALIDE_VERSION_MAJOR) + "." +
         std::to_string(HALIDE_VERSION_MINOR) + "." +
         std::to_string(HALIDE_VERSION_PATCH);
}

/// The object's own symbol; the plain name belongs to the adapter.
static std::string objectSymbol(const KernelSpec &spec) {
  return spec.name + "_halide";
}

static std::string adapterText(const Kernel &kernel, const KernelSpec &spec) {
  size_t inputs = kernel.inputs.size();
  std::string arrays, locals, objectParameters, parameters, arguments, last;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Kernel::Buffer &buffer = kernel.buffers[i];
    std::string dimensions;
    for (const Dimension &dimension : buffer.dimensions)
      dimensions += (dimensions.empty() ? "" : ", ") +
                    ("{0, " + std::to_string(dimension.extent) + ", ") +
                    std::to_string(dimension.stride) + ", 0}";
    arrays += "static constexpr HalideDimension " + buffer.name +
              "Dimensions[] = {" + dimensions + "};\n";
    std::string pointer = buffer.argument;
    if (buffer.offset != 0)
      pointer += " + " + std::to_string(buffer.offset);
    locals += "  HalideBuffer " + buffer.name + "Buffer = halideBuffer(" +
              pointer + ", " + buffer.name + "Dimensions, " +
              std::to_string(buffer.dimensions.size()) + ");\n";
    objectParameters += ", HalideBuffer *" + buffer.name;
    if (buffer.argument != last) // parts of the scratch follow each other
      parameters += (i < inputs ? ", const float *" : ", float *") +
                    (last = buffer.argument);
    arguments += ", &" + buffer.name + "Buffer";
  }
  return "// " + spec.name + ": " + spec.family + " for " + spec.target +
         ", written by vitc-halide (Halide " + halideVersion() +
         "). Do not edit.\n" + "#include \"vitc/runtime/halide_abi.h\"\n\n" +
         "using vitc::rt::HalideBuffer;\nusing vitc::rt::halideBuffer;\nusing "
         "vitc::rt::HalideDimension;\n\n" +
         "extern \"C\" int " + objectSymbol(spec) + "(void *context" +
         objectParameters + ");\n\n" + arrays + "\nextern \"C\" void " +
         spec.name + "(void *context" + parameters + ") {\n" + locals + "  " +
         objectSymbol(spec) + "(context" + arguments + ");\n}\n";
}

static void writeText(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw std::runtime_error("cannot write " + path);
}

void emitKernel(const Kernel &kernel, const KernelSpec &spec,
                const EmitOptions &options, double milliseconds) {
  auto start = std::chrono::steady_clock::now();
  std::vector<Argument> arguments(kernel.inputs.begin(), kernel.inputs.end());
  Pipeline pipeline(kernel.outputs);
  if (kernel.pass)
    pipeline.add_custom_lowering_pass(kernel.pass.get(), nullptr);
  std::unique_ptr<Internal::IRMutator> fitting(fitStack(kernel.stackFloats));
  pipeline.add_custom_lowering_pass(fitting.get(), nullptr);
  // External alone: neither metadata nor the argv entry, which nobody would
  // call.
  Module module = pipeline.compile_to_module(arguments, objectSymbol(spec),
                                             machineFor(spec.target).target,
                                             LinkageType::External);

  FileSet files;
  std::string object = files.add(options.prefix + ".o");
  std::map<OutputFileType, std::string> outputs;
  std::string assembly;
  if (options.assembly)
    assembly = files.add(options.prefix + ".s");
  else if (kernel.pass)
    assembly = files.addTemporary(options.prefix + ".s");
  if (!assembly.empty())
    outputs[OutputFileType::assembly] = assembly;
  if (!kernel.pass)
    outputs[OutputFileType::object] = object;
  if (options.stmt)
    outputs[OutputFileType::stmt] = files.add(options.prefix + ".stmt");
  module.compile(outputs);
  if (kernel.pass) {
    prefetchToSecondLevel(assembly);
    assemble(assembly, object);
  }
  writeText(files.add(options.prefix + ".cpp"), adapterText(kernel, spec));

  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  nlohmann::ordered_json report = {
      {"backend", "halide"},
      {"version", halideVersion()},
      {"symbol", spec.name},
      {"schedule", kernel.schedule},
      {"object_bytes", std::filesystem::file_size(object)},
      {"compile_ms", std::llround(milliseconds + elapsed.count())}};
  writeText(files.add(options.prefix + ".json"), report.dump(2) + "\n");
  files.commit();
}

} // namespace vitc::halide
