// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit.h"

#include "common/files.h"
#include "cuda/emit.h"
#include "lower.h"
#include "target.h"

#include <chrono>

namespace vitc::tvm_backend {

std::string tvmVersion() { return VITC_TVM_VERSION; }

std::string parameterList(const Kernel &kernel) {
  std::string text;
  for (const BuiltArgument &argument : kernel.arguments)
    text +=
        (argument.isOutput ? ", float *" : ", const float *") + argument.name;
  return text;
}

std::string headline(const KernelSpec &spec) {
  return schedules::headline("tvm", "TVM", tvmVersion(), spec);
}

static std::string adapterText(const Kernel &kernel, const KernelSpec &spec) {
  std::string names;
  for (const BuiltArgument &argument : kernel.arguments)
    names += ", " + argument.name;
  std::string declarations, calls;
  for (size_t i = 0; i < kernel.stages.size(); ++i) {
    const Stage &stage = kernel.stages[i];
    std::string body;
    int first = 0;
    for (size_t j = 0; j < stage.sections.size(); ++j) {
      std::string symbol = sectionSymbol(spec.name, i, j);
      declarations += "extern \"C\" void " + symbol + "(int32_t task" +
                      parameterList(kernel) + ");\n";
      std::string call = symbol + "(task" +
                         (first ? " - " + std::to_string(first) : "") + names +
                         ");\n";
      first += stage.sections[j].tasks;
      bool last = j + 1 == stage.sections.size();
      body += last ? "    " + call
                   : "    if (task < " + std::to_string(first) +
                         ")\n      return " + call;
    }
    std::string how = "runSerially(" + std::to_string(stage.tasks());
    if (stage.parallel)
      how = "runParallel(context, " + std::to_string(stage.tasks()) + ", " +
            std::to_string(stage.together);
    calls += "  " + how + ", [=](int32_t task) {\n" + body + "  });\n";
  }
  return headline(spec) +
         "#include \"vitc/runtime/tasks.h\"\n\n"
         "using vitc::rt::runParallel;\nusing vitc::rt::runSerially;\n\n" +
         declarations + "\nextern \"C\" void " + spec.name + "(void *context" +
         parameterList(kernel) + ") {\n" + calls + "}\n";
}

void emitKernel(const Kernel &kernel, const KernelSpec &spec,
                const EmitOptions &options, double milliseconds) {
  if (kernel.device)
    return emitDeviceKernel(kernel, spec, options, milliseconds);
  auto start = std::chrono::steady_clock::now();
  Node target = tvmTarget(spec.target);
  Node module = lowerKernel(kernel, spec.name, target);
  FileSet files;
  if (options.stmt)
    writeText(files.add(options.prefix + ".stmt"),
              std::string(call("node.TVMScriptPrinterScript", module, nullptr)
                              .cast<ffi::String>()));
  Node code = make("target.build.llvm", module, target);
  std::string object = files.add(options.prefix + ".o");
  call("ffi.ModuleWriteToFile", code, object, "o");
  if (options.assembly)
    writeText(
        files.add(options.prefix + ".s"),
        std::string(
            call("ffi.ModuleInspectSource", code, "asm").cast<ffi::String>()));
  writeText(files.add(options.prefix + ".cpp"), adapterText(kernel, spec));
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  writeText(files.add(options.prefix + ".json"),
            reportText("tvm", tvmVersion(), spec, kernel.schedule.values,
                       object, milliseconds + elapsed.count()));
  files.commit();
}

} // namespace vitc::tvm_backend
