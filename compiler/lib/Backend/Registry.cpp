// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/Registry.h"

#include "vitc/Support/File.h"

using namespace vitc;
using llvm::StringRef;

llvm::ArrayRef<StringRef> vitc::backendNames() {
  static constexpr StringRef names[] = {defaultBackend, tvmBackend};
  return names;
}

std::vector<StringRef> vitc::backendChoices() {
  std::vector<StringRef> choices = backendNames();
  choices.push_back(everyBackend);
  return choices;
}

std::string vitc::backendProgram(StringRef folder, StringRef backend) {
  return joinPath(folder, "vitc-" + backend);
}

std::map<std::string, std::string> vitc::backendPrograms(StringRef folder) {
  std::map<std::string, std::string> programs;
  for (StringRef backend : backendNames())
    programs[backend.str()] = backendProgram(folder, backend);
  return programs;
}
