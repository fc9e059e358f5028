// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Measurer.h"

#include "MeasureChild.h"

#include "vitc/Backend/ObjectCode.h"
#include "vitc/Records/Machine.h"
#include "vitc/Support/File.h"
#include "vitc/Support/JsonReader.h"
#include "vitc/Support/Process.h"
#include "vitc/Tune/Search.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/Threading.h"

using namespace vitc;
using namespace vitc::tune;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

class Measurer::Child : public MeasureChild {
public:
  using MeasureChild::MeasureChild;
};

Measurer::Measurer(Tools tools) : tools(std::move(tools)) {}
Measurer::~Measurer() = default;

Capabilities Measurer::getCapabilities() const {
  Capabilities capabilities;
  capabilities.cpu = thisMachine().cpu;
  for (const auto &[backend, program] : tools.backends)
    capabilities.backends.push_back(backend);
  capabilities.targets = tools.targets;
  return capabilities;
}

static std::string hashOf(llvm::StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true)
      .substr(0, 24);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The adapter is the same text for most schedules of a kernel: compiled once.
llvm::Expected<std::string> Measurer::adapterObject(llvm::StringRef source) {
  auto text = llvm::MemoryBuffer::getFile(source);
  if (!text)
    return userError(source, text.getError().message());
  std::string object =
      joinPath(tools.folder, "adapter-" + hashOf((*text)->getBuffer()) + ".o");
  if (fs::exists(object))
    return object;
  if (llvm::Error error = runProcess({tools.cxx,
                                      {"-std=c++17", "-O1", "-fPIC",
                                       "-I" + tools.runtimeFolder + "/include",
                                       "-c", source.str(), "-o", object}}))
    return error;
  return object;
}

/// From the backend's three files to something that can be loaded.
llvm::Error Measurer::finishBuild(llvm::StringRef prefix, Build &build) {
  llvm::Expected<JsonObject> parsed = readJson((prefix + ".json").str());
  if (!parsed)
    return parsed.takeError();
  JsonReader report(*parsed);
  build.schedule = report.objectAt("schedule");
  build.backendVersion = report.text("version", std::nullopt);
  build.compileSeconds =
      report.number("compile_ms", 0, 0, std::numeric_limits<double>::max()) /
      1000;
  build.spills =
      report.integer("spills", 0, 0, std::numeric_limits<int64_t>::max());
  if (llvm::Error error = report.finish())
    return error;
  llvm::Expected<std::string> code = hashCode((prefix + ".o").str());
  if (!code)
    return code.takeError();
  build.code = std::move(*code);
  llvm::Expected<std::string> adapter = adapterObject((prefix + ".cpp").str());
  if (!adapter)
    return adapter.takeError();
  std::string library = (prefix + ".so").str();
  // Each library calls its own kernel, though all have the same name.
  if (llvm::Error error =
          runProcess({tools.cxx,
                      {"-shared", "-nostdlib", "-Wl,-Bsymbolic", "-o", library,
                       (prefix + ".o").str(), *adapter}}))
    return error;
  build.library = library;
  for (llvm::StringRef extension : {".o", ".cpp", ".s", ".json", ".spec"})
    fs::remove(prefix + extension);
  return llvm::Error::success();
}

llvm::Expected<std::vector<Build>>
Measurer::build(const KernelRow &kernel, llvm::StringRef backend,
                llvm::ArrayRef<json::Object> schedules) {
  auto program = tools.backends.find(backend.str());
  if (program == tools.backends.end())
    return userError("the backend " + backend +
                     " is not part of this installation of vitc");
  auto nameOf = [&](const json::Object &schedule) {
    return hashOf(kernel.key + backend.str() + scheduleText(schedule));
  };
  std::vector<ProcessRequest> requests;
  std::vector<std::string> names;
  for (const json::Object &schedule : schedules) {
    std::string name = nameOf(schedule);
    if (builds.count(name) || llvm::is_contained(names, name))
      continue;
    std::string prefix = joinPath(tools.folder, name);
    if (llvm::Error error =
            writeFile(prefix + ".spec", specification(kernel, schedule)))
      return error;
    names.push_back(name);
    requests.push_back(
        {program->second,
         {"--spec", prefix + ".spec", "-o", prefix, "--emit-assembly"},
         {"CXX=" + tools.cxx}});
  }
  // Kernels take less than a second; loops unrolled beyond reason take minutes.
  constexpr unsigned patienceSeconds = 20;
  unsigned jobs =
      llvm::heavyweight_hardware_concurrency().compute_thread_count();
  llvm::Error error = runProcesses(
      requests, jobs, patienceSeconds,
      [&](size_t index, const ProcessResult &result) -> llvm::Error {
        Build build;
        build.backend = backend.str();
        if (result.succeeded()) {
          if (llvm::Error failed =
                  finishBuild(joinPath(tools.folder, names[index]), build)) {
            build.outcome = Outcome::Crash;
            build.detail = llvm::toString(std::move(failed));
            build.library.clear();
          }
        } else {
          // The backend may refuse a schedule, die of it or hang over it.
          build.outcome = result.timedOut        ? Outcome::Timeout
                          : result.exitCode == 1 ? Outcome::Invalid
                                                 : Outcome::Crash;
          build.detail = "the backend: " + result.describe();
        }
        builds[names[index]] = std::move(build);
        return llvm::Error::success();
      });
  if (error)
    return error;
  std::vector<Build> result;
  for (const json::Object &schedule : schedules)
    result.push_back(builds[nameOf(schedule)]);
  return result;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

llvm::Expected<Measurer::Child *> Measurer::childFor(const KernelRow &kernel) {
  std::unique_ptr<Child> &child = children[kernel.key];
  if (child && child->isAlive())
    return child.get();
  // Inputs and weights of many kernels at once would take much memory.
  constexpr size_t most = 6;
  if (children.size() > most) {
    std::string keep = kernel.key;
    for (auto it = children.begin(); it != children.end();)
      it = it->first == keep ? std::next(it) : children.erase(it);
  }
  json::Object order{{"family", kernel.family},
                     {"spec", json::Object(kernel.spec)},
                     {"target", kernel.target},
                     {"threads", kernel.threads}};
  auto fresh = std::make_unique<Child>(tools.measureProgram);
  llvm::Expected<json::Object> answer = fresh->ask(std::move(order));
  if (!answer)
    return answer.takeError();
  if (auto message = answer->getString("error"))
    return userError(*message);
  Child *result = fresh.get();
  children[kernel.key] = std::move(fresh);
  return result;
}

static Outcome outcomeOf(llvm::StringRef name) {
  for (unsigned i = 0; i < outcomeCount; ++i)
    if (nameOf(Outcome(i)) == name)
      return Outcome(i);
  return Outcome::Crash;
}

Measurement Measurer::measure(const KernelRow &kernel, const Build &build,
                              const Build *baseline, bool thorough) {
  Measurement result;
  result.outcome = build.outcome;
  result.detail = build.detail;
  result.schedule = build.schedule;
  result.backendVersion = build.backendVersion;
  result.code = build.code;
  result.compileSeconds = build.compileSeconds;
  if (baseline) {
    result.baselineBackend = baseline->backend;
    result.baselineBackendVersion = baseline->backendVersion;
    result.baselineSchedule = baseline->schedule;
    result.baselineCode = baseline->code;
  }
  if (build.outcome != Outcome::Ok)
    return result;
  llvm::Expected<Child *> child = childFor(kernel);
  if (!child) {
    result.outcome =
        child.errorIsA<UserError>() ? Outcome::Invalid : Outcome::Crash;
    result.detail = llvm::toString(child.takeError());
    return result;
  }
  // A hang is not worth more time than a hundred candidates.
  constexpr double seconds = 8;
  constexpr int64_t megabytes = 512;
  json::Object request{{"library", build.library},
                       {"symbol", kernel.name},
                       {"thorough", thorough},
                       {"seconds", seconds},
                       {"megabytes", megabytes}};
  if (baseline && !baseline->library.empty())
    request["baseline"] = baseline->library;
  llvm::Expected<json::Object> answer = (*child)->ask(std::move(request));
  if (!answer) {
    result.outcome = Outcome::Crash;
    result.detail = llvm::toString(answer.takeError());
    return result;
  }
  result.outcome = outcomeOf(answer->getString("outcome").value_or(""));
  result.detail = answer->getString("detail").value_or("").str();
  result.seconds = answer->getNumber("seconds").value_or(0);
  result.warmSeconds = answer->getNumber("warm_seconds").value_or(0);
  result.baselineSeconds = answer->getNumber("baseline_seconds").value_or(0);
  result.pairedRatio = answer->getNumber("paired_ratio").value_or(0);
  result.noise = answer->getNumber("noise").value_or(0);
  result.peak = answer->getNumber("peak").value_or(0);
  return result;
}
