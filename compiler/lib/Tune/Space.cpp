// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Space.h"

#include "vitc/Backend/KernelRequest.h"
#include "vitc/Support/File.h"
#include "vitc/Support/Json.h"
#include "vitc/Support/Process.h"

#include "llvm/Support/FormatVariadic.h"

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

std::string vitc::tune::specification(const KernelRow &kernel,
                                      const json::Object &schedule) {
  KernelRequest request;
  request.name = kernel.name;
  request.target = kernel.target;
  request.family = kernel.family;
  request.spec = kernel.spec;
  request.schedule = schedule;
  return request.toText() + "\n";
}

llvm::Expected<json::Value>
vitc::tune::askProgram(llvm::StringRef program,
                       std::vector<std::string> arguments) {
  llvm::Expected<std::string> text =
      runForOutput({program.str(), std::move(arguments)});
  if (!text)
    return text.takeError();
  llvm::Expected<json::Value> answer = parseJsonValue(program, *text);
  if (!answer) // not the user's fault
    return llvm::createStringError(llvm::toString(answer.takeError()));
  return answer;
}

llvm::Expected<Space> Space::ask(llvm::StringRef backend,
                                 llvm::StringRef program,
                                 const KernelRow &kernel,
                                 llvm::StringRef folder) {
  Space space;
  space.backend = backend.str();
  space.program = program.str();
  space.folder = folder.str();
  space.specPath =
      joinPath(folder, "space-" + backend + "-" + kernel.key + ".json");
  if (llvm::Error error = writeFile(space.specPath, specification(kernel, {})))
    return error;
  llvm::Expected<json::Value> answer =
      askProgram(program, {"--spec", space.specPath, "--space"});
  if (!answer)
    return answer.takeError();
  const json::Object *object = answer->getAsObject();
  const json::Array *parameters =
      object ? object->getArray("parameters") : nullptr;
  if (!parameters)
    return llvm::createStringError(program + ": --space printed no parameters");
  for (const json::Value &value : *parameters) {
    const json::Object *fields = value.getAsObject();
    const json::Array *values = fields ? fields->getArray("values") : nullptr;
    if (!values)
      return llvm::createStringError(program + ": a parameter without values");
    std::optional<llvm::StringRef> name = fields->getString("name");
    std::optional<int64_t> standard = fields->getInteger("default");
    if (!name || !standard)
      return llvm::createStringError(program +
                                     ": a parameter without name or default");
    Parameter parameter;
    parameter.name = name->str();
    parameter.meaning = fields->getString("meaning").value_or("").str();
    parameter.standard = *standard;
    parameter.forThreads = fields->getBoolean("for_threads").value_or(false);
    for (const json::Value &candidate : *values) {
      std::optional<int64_t> setting = candidate.getAsInteger();
      if (!setting)
        return llvm::createStringError(program + ": a value of " + *name +
                                       " is no integer");
      parameter.values.push_back(*setting);
    }
    space.parameters.push_back(std::move(parameter));
  }
  return space;
}

llvm::Expected<std::vector<json::Object>>
Space::complete(llvm::ArrayRef<json::Object> proposals) const {
  json::Array list;
  for (const json::Object &proposal : proposals)
    list.push_back(json::Object(proposal));
  std::string path = joinPath(folder, "proposals.json");
  if (llvm::Error error = writeFile(
          path, llvm::formatv("{0}\n", json::Value(std::move(list))).str()))
    return error;
  llvm::Expected<json::Value> answer =
      askProgram(program, {"--spec", specPath, "--complete", path});
  if (!answer)
    return answer.takeError();
  std::vector<json::Object> schedules;
  if (const json::Array *array = answer->getAsArray())
    for (const json::Value &value : *array)
      if (const json::Object *schedule = value.getAsObject())
        schedules.push_back(*schedule);
  return schedules;
}
