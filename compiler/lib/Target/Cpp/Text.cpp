// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace vitc;

std::string vitc::upper(llvm::StringRef text) { return text.upper(); }

std::string vitc::shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

Words vitc::wordsOf(const LibraryDescription &library, Language language) {
  std::string arguments;
  for (const OutputDescription &output : library.outputs)
    arguments += ", " + output.name;
  auto megabytes = [](double bytes) {
    return llvm::formatv("{0:f1}", bytes / 1e6).str();
  };
  return {
      {"ID", library.name},
      {"UPPER", upper(library.name)},
      {"MODEL", language == Language::PkgConfig ? pkgConfigText(library.model)
                                                : commentText(library.model)},
      {"TARGET", library.target},
      {"VERSION", VITC_VERSION},
      {"BATCH", std::to_string(library.batch)},
      {"CHANNELS", std::to_string(library.channels)},
      {"HEIGHT", std::to_string(library.height)},
      {"WIDTH", std::to_string(library.width)},
      {"WORKSPACE", std::to_string(library.workspaceBytes)},
      {"WORKSPACE_KB", std::to_string((library.workspaceBytes + 1023) / 1024)},
      {"STACK", std::to_string(library.stackBytes)},
      {"STACK_KB", std::to_string((library.stackBytes + 1023) / 1024)},
      {"WEIGHTS_MB", megabytes(double(library.weightsBytes))},
      {"FIRST_UPPER", upper(library.outputs.front().name)},
      {"EXAMPLE_ARGUMENTS", arguments}};
}

std::string vitc::fill(llvm::StringRef text, const Words &words) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split('@');
    result += before;
    if (rest.empty() && before.size() == text.size())
      return result;
    auto [word, after] = rest.split('@');
    auto it = words.find(word.str());
    if (it == words.end())
      llvm::report_fatal_error("no text for @" + word + "@");
    result += it->second;
    text = after;
  }
}
