// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/command.h"

#include "vitc/Support/Escape.h"

#include "common/machine.h"
#include "common/space.h"
#include "common/spills.h"

#include <cmath>
#include <filesystem>
#include <iostream>

namespace vitc::schedules {

enum ExitCode { Done = 0, WrongInput = 1, InternalError = 2 };

static std::string joined(const std::vector<std::string> &words) {
  std::string result;
  for (const std::string &word : words)
    result += (result.empty() ? "" : " ") + word;
  return result;
}

static void printHelp(const BackendProgram &program) {
  std::cout
      << "usage: vitc-" << program.name
      << " --spec SPEC.json -o PREFIX "
         "[--emit-assembly] [--emit-stmt]\n"
         "       vitc-"
      << program.name
      << " --spec SPEC.json --space\n"
         "       vitc-"
      << program.name
      << " --spec SPEC.json --complete PROPOSALS.json\n"
         "\n"
         "Compiles one kernel of a Vision Transformer with "
      << program.title
      << ", as vitc's kernel protocol describes it.\n"
         "Writes PREFIX.o (the kernel), PREFIX.cpp (a plain function "
         "that calls it) and PREFIX.json (a report).\n"
         "\n"
         "  --spec FILE       the kernel specification, JSON\n"
         "  -o PREFIX         where the files go\n"
         "  --emit-assembly   also write PREFIX.s\n"
         "  --emit-stmt       also write PREFIX.stmt, the loops after "
         "lowering\n"
         "  --space           print the schedule's parameters, for tuners\n"
         "  --complete FILE   print the allowed schedules next to those "
         "in FILE\n"
         "  --targets         print what is known of each target, as one line "
         "of JSON\n"
         "  --version         backend, version and protocol as one line "
         "of JSON\n"
         "  --help            this text\n"
         "\n"
         "families: "
      << joined(program.families) << "\ntargets:  " << joined(machineNames())
      << "\n\nExit codes: 0 done; 1 the specification is wrong; 2 the "
         "backend failed.\n";
}

/// A library's message may span lines; the protocol wants one.
static std::string oneLine(const char *message) {
  std::string result;
  for (const char *c = message; *c; ++c) {
    bool space = *c == '\n' || *c == ' ';
    if (space && (result.empty() || result.back() == ' '))
      continue;
    result += space ? ' ' : *c;
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

static int fail(ExitCode code, const std::string &message) {
  std::cerr << "error: " << terminalText(message) << std::endl;
  return code;
}

int runBackend(const BackendProgram &program, int argc, char **argv) {
  EmitOptions options;
  std::string specPath, proposalsPath;
  bool space = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--help") {
      printHelp(program);
      return Done;
    }
    if (argument == "--version") {
      std::cout << R"({"backend":")" << program.name << R"(","version":")"
                << program.version << R"(","protocol":1})" << std::endl;
      return Done;
    }
    if (argument == "--targets") {
      std::cout << describeMachines() << std::endl;
      return Done;
    }
    if (argument == "--emit-assembly")
      options.assembly = true;
    else if (argument == "--emit-stmt")
      options.stmt = true;
    else if (argument == "--space")
      space = true;
    else if (argument == "--complete" && i + 1 < argc)
      proposalsPath = argv[++i];
    else if (argument == "--spec" && i + 1 < argc)
      specPath = argv[++i];
    else if (argument == "-o" && i + 1 < argc)
      options.prefix = argv[++i];
    else
      return fail(WrongInput, "unknown or incomplete option '" + argument +
                                  "'; see --help");
  }
  int wanted = space + !proposalsPath.empty() + !options.prefix.empty();
  if (specPath.empty() || wanted != 1)
    return fail(WrongInput, "--spec is needed, and one of -o, --space and "
                            "--complete; see --help");

  try {
    KernelSpec spec = readSpec(specPath);
    if (space)
      std::cout << describeSpace(program, spec) << std::endl;
    else if (!proposalsPath.empty())
      std::cout << completeSchedules(program, spec, proposalsPath) << std::endl;
    else
      program.compile(spec, options);
    return Done;
  } catch (const SpecError &error) {
    return fail(WrongInput, oneLine(error.what()));
  } catch (const std::exception &error) {
    return fail(InternalError, oneLine(error.what()));
  }
}

std::string headline(const std::string &backend, const std::string &title,
                     const std::string &version, const KernelSpec &spec) {
  return "// " +
         commentText(spec.name + ": " + spec.family + " for " + spec.target +
                     ", written by vitc-" + backend + " (" + title + " " +
                     version + "). Do not edit.") +
         "\n";
}

std::string reportText(const std::string &backend, const std::string &version,
                       const KernelSpec &spec,
                       const nlohmann::ordered_json &schedule,
                       const std::string &objectPath, double milliseconds,
                       const std::string &assemblyPath,
                       const nlohmann::ordered_json &extra) {
  nlohmann::ordered_json report = {
      {"backend", backend},
      {"version", version},
      {"symbol", spec.name},
      {"schedule", schedule},
      {"object_bytes", std::filesystem::file_size(objectPath)},
      {"compile_ms", std::llround(milliseconds)}};
  if (!assemblyPath.empty())
    report["spills"] = countInnerSpills(assemblyPath);
  for (const auto &[name, value] : extra.items())
    report[name] = value;
  return report.dump(2) + "\n";
}

} // namespace vitc::schedules
