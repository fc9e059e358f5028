// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/spills.h"

#include <fstream>
#include <set>

namespace vitc::schedules {

/// "BB0_4" of a block's label or of a note on a loop; empty if there is none.
static std::string blockAfter(const std::string &line, const char *mark) {
  size_t start = line.find(mark);
  if (start == std::string::npos)
    return "";
  start = line.find("BB", start);
  return start == std::string::npos
             ? ""
             : line.substr(start, line.find_first_of(": \t", start) - start);
}

int countInnerSpills(const std::string &path) {
  std::ifstream file(path);
  std::set<std::string> headers; // of innermost loops
  std::string line, block;
  bool inner = false;
  int spills = 0;
  while (std::getline(file, line)) {
    // A block starts with its label, or with a note where nobody jumps to it.
    if (line.rfind(".LBB", 0) == 0 || line.rfind("# %bb", 0) == 0) {
      block = line[0] == '.' ? blockAfter(line, ".LBB") : "";
      inner = false;
    }
    if (line.find("This Inner Loop Header") != std::string::npos) {
      headers.insert(block);
      inner = true;
    }
    if (headers.count(blockAfter(line, "in Loop: Header=")))
      inner = true;
    bool isVector = line.find("16-byte") != std::string::npos ||
                    line.find("32-byte") != std::string::npos ||
                    line.find("64-byte") != std::string::npos;
    if (inner && isVector &&
        (line.find("Spill") != std::string::npos ||
         line.find("Reload") != std::string::npos))
      ++spills;
  }
  return spills;
}

} // namespace vitc::schedules
