// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit.h"

#include "../emit.h"
#include "../passes.h"
#include "../rewrite.h"
#include "common/files.h"
#include "common/program.h"
#include "common/ptxas.h"

#include <tvm/ffi/reflection/creator.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

using nlohmann::ordered_json;

namespace vitc::tvm_backend {

static std::string symbolOf(const KernelSpec &spec) {
  return spec.name + "_tvm";
}

static std::string variableOr(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/// The function as TVM knows it: pointers in, a launch of threads inside.
static Node functionOf(const Kernel &kernel, const KernelSpec &spec,
                       const Node &target) {
  constexpr int deviceKernelLaunch = 2; // tvm::CallingConv
  Nodes parameters;
  std::vector<Node> statements;
  for (const DeviceMemory &argument : kernel.device->arguments) {
    Node type = make("ir.PointerType", typeOf(argument.type), argument.scope);
    Node pointer =
        make("ir.Var", field(argument.buffer, "name"), type, nullptr);
    parameters.push_back(pointer);
    statements.push_back(
        make("tirx.DeclBuffer", argument.buffer, pointer, nullptr));
  }
  statements.push_back(kernel.device->body);
  ffi::Map<ffi::String, ffi::Any> attributes, fields;
  attributes.Set("global_symbol", ffi::String(symbolOf(spec)));
  attributes.Set("tirx.noalias", !kernel.mayAlias);
  attributes.Set("tirx.is_global_func", true);
  attributes.Set("calling_conv", deviceKernelLaunch);
  attributes.Set("target", target);
  fields.Set("__dict__", attributes);
  ffi::Any made = ffi::reflection::ObjectCreator("ir.DictAttrs")(fields);
  return make("tirx.PrimFunc", parameters, sequence(statements),
              make("ir.TupleType", Nodes{}, nullptr), made.cast<Node>(),
              nullptr);
}

/// What TVM's code generator asks for by these names; the wheel's own are
/// Python. No operation of ours needs code that is not the generator's.
static void provideCallbacks() {
  ffi::Function::SetGlobal(
      "tirx.intrinsics.cuda.header_generator",
      ffi::Function::FromTyped([](const ffi::Any &) -> ffi::String {
        return "#include <cuda_fp16.h>\n#include <mma.h>\n";
      }),
      /*override=*/true);
  ffi::Function::SetGlobal(
      "tirx.intrinsics.cuda.get_codegen",
      ffi::Function::FromTyped(
          [](const ffi::Any &) -> ffi::Any { return nullptr; }),
      /*override=*/true);
}

static std::string sourceOf(const Kernel &kernel, const KernelSpec &spec,
                            int capability) {
  provideCallbacks();
  ordered_json description = {{"kind", "cuda"},
                              {"arch", "sm_" + std::to_string(capability)}};
  Node target = make("target.Target", ffi::String(description.dump()));
  ffi::Map<ffi::Any, ffi::Any> functions;
  functions.Set(make("ir.GlobalVar", symbolOf(spec)),
                functionOf(kernel, spec, target));
  Node module = lowerDevice(
      make("ir.IRModule", functions, nullptr, ffi::Map<ffi::Any, ffi::Any>()));
  Node code = make("target.build.cuda", module, target);
  return call("ffi.ModuleInspectSource", code, "cuda").cast<ffi::String>();
}

/// Compiles `source` to PTX for the capability and later ones.
static void compileSource(const std::string &source, const std::string &ptx,
                          int capability) {
  std::string nvcc = variableOr("NVCC", "nvcc"), said;
  if (!runProgram(nvcc,
                  {"-ptx", "-O3", "-x", "cu",
                   "-arch=sm_" + std::to_string(capability), source, "-o", ptx},
                  ptx + ".log", said)) {
    if (said.empty())
      throw SpecError("spec.multiply: cannot run " + nvcc +
                      ", or it fails without a word; $NVCC names another");
    throw std::runtime_error(nvcc + " failed: " + said);
  }
}

/// An object that holds the text, which ends with a zero.
static void writeObject(const std::string &ptx, const std::string &source,
                        const std::string &object, const std::string &symbol) {
  std::ifstream in(ptx);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string hidden =
      "extern \"C\" __attribute__((visibility(\"hidden\"))) const ";
  writeText(source, hidden + "char " + symbol + "_ptx[] = R\"ptx(" + text +
                        ")ptx\";\n" + hidden + "int " + symbol +
                        "_ptx_bytes = sizeof(" + symbol + "_ptx);\n");
  std::string compiler = variableOr("CXX", "c++"), said;
  if (!runProgram(compiler, {"-c", "-fPIC", "-x", "c++", source, "-o", object},
                  object + ".log", said))
    throw std::runtime_error(compiler + " failed: " + said);
}

static std::string threeOf(const int *numbers) {
  return "{" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) +
         ", " + std::to_string(numbers[2]) + "}";
}

static std::string cudaAdapterText(const Kernel &kernel,
                                   const KernelSpec &spec) {
  std::string names;
  for (const BuiltArgument &argument : kernel.arguments)
    names += (names.empty() ? "" : ", ") + argument.name;
  const std::string symbol = symbolOf(spec);
  return headline(spec) +
         "#include \"vitc/runtime/device_abi.h\"\n\n"
         "extern \"C\" const char " +
         symbol + "_ptx[];\nextern \"C\" const int " + symbol +
         "_ptx_bytes;\n\nextern \"C\" void " + spec.name + "(void *context" +
         parameterList(kernel) + ") {\n  const float *const arguments[] = {" +
         names + "};\n  vitc::rt::launchOnDevice(context, {" + symbol +
         "_ptx, " + symbol + "_ptx_bytes, \"" + symbol + "\", " +
         threeOf(kernel.device->blocks) + ", " +
         threeOf(kernel.device->threads) + "}, arguments);\n}\n";
}

void emitDeviceKernel(const Kernel &kernel, const KernelSpec &spec,
                      const EmitOptions &options, double milliseconds) {
  auto start = std::chrono::steady_clock::now();
  const Machine machine = machineFor(spec.target);
  const int capability = capabilityOf(machine);
  const DeviceFunction &device = *kernel.device;
  FileSet files;
  auto file = [&](const std::string &ending, bool wanted) {
    const std::string path = options.prefix + ending;
    return wanted ? files.add(path) : files.addTemporary(path);
  };
  std::string source = file(".stmt", options.stmt),
              ptx = file(".s", options.assembly),
              embedded = file(".embedded", false), object = file(".o", true);
  writeText(source, sourceOf(kernel, spec, capability));
  compileSource(source, ptx, capability);
  writeObject(ptx, embedded, object, symbolOf(spec));
  writeText(files.add(options.prefix + ".cpp"), cudaAdapterText(kernel, spec));
  ordered_json launches = {{{"entry", symbolOf(spec)},
                            {"blocks", device.blocks},
                            {"threads", device.threads},
                            {"shared_bytes", device.sharedBytes}}};
  if (std::string ptxas = variableOr("PTXAS", ""); !ptxas.empty())
    assembleLaunches(launches, machine, ptxas, ptx);
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  writeText(files.add(options.prefix + ".json"),
            reportText("tvm", tvmVersion(), spec, kernel.schedule.values,
                       object, milliseconds + elapsed.count(), "",
                       {{"launches", launches}}));
  files.commit();
}

} // namespace vitc::tvm_backend
