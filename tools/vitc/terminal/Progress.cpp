// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"

#include "Text.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace vitc::tool;

bool vitc::tool::isLivelyTerminal() {
  const char *name = std::getenv("TERM");
  return llvm::errs().is_displayed() && name && llvm::StringRef(name) != "dumb";
}

Progress::Progress(bool quiet)
    : style(quiet                ? Style::None
            : isLivelyTerminal() ? Style::Bar
                                 : Style::Lines),
      lastLine(Clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  // Carriage return, then erase to the end of the line (ECMA-48 EL).
  if (barShown)
    llvm::errs() << "\r\x1b[K";
  barShown = false;
}

void Progress::show(llvm::StringRef name, unsigned done, unsigned total) {
  if (style == Style::None)
    return;
  if (stage != name) {
    stage = name.str();
    stageDone = false;
  }
  if (style == Style::Bar)
    drawBar(done, total);
  else
    printLine(done, total);
}

void Progress::drawBar(unsigned done, unsigned total) {
  constexpr unsigned width = 30;
  unsigned filled = total ? std::min(width, width * done / total) : 0;
  llvm::errs() << "\r\x1b[K[" << std::string(filled, '#')
               << std::string(width - filled, '.') << "] " << stage;
  if (total > 1)
    llvm::errs() << " " << done << " of " << total;
  llvm::errs().flush();
  barShown = true;
}

void Progress::printLine(unsigned done, unsigned total) {
  // In a log, one line for each finished stage, and a sign of life where a
  // stage takes long.
  constexpr std::chrono::seconds patience(10);
  bool finished = done >= total;
  if (stageDone || (!finished && Clock::now() - lastLine < patience))
    return;
  stageDone = finished;
  lastLine = Clock::now();
  err() << "vitc: " << stage;
  if (total > 1)
    err() << ": " << done << " of " << total;
  err() << "\n";
}
