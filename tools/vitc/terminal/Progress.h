// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Progress of long work on standard error: a bar on a terminal, a line for
/// each finished stage elsewhere.
#ifndef VITC_TOOLS_TERMINAL_PROGRESS_H
#define VITC_TOOLS_TERMINAL_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace vitc::tool {

/// Whether standard error is a terminal on which lines can be drawn over.
bool isLivelyTerminal();

class Progress {
public:
  explicit Progress(bool quiet);
  /// Removes a bar that is still shown.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `done` of `total` units of `stage` are finished.
  void show(llvm::StringRef stage, unsigned done, unsigned total);
  /// Makes room for other text on the terminal.
  void clear();

private:
  void drawBar(unsigned done, unsigned total);
  void printLine(unsigned done, unsigned total);

  using Clock = std::chrono::steady_clock;
  enum class Style { None, Bar, Lines } style;
  std::string stage;
  bool barShown = false, stageDone = false;
  Clock::time_point lastLine;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_TERMINAL_PROGRESS_H
