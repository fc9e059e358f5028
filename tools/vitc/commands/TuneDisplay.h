// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a tuning session shows while it runs, on standard error: a few lines
/// that are drawn over on a terminal, a line now and then elsewhere.
#ifndef VITC_TOOLS_COMMANDS_TUNEDISPLAY_H
#define VITC_TOOLS_COMMANDS_TUNEDISPLAY_H

#include "vitc/Tune/Session.h"

#include <chrono>

namespace vitc::tool {

class TuneDisplay {
public:
  TuneDisplay(std::string title, bool quiet);
  ~TuneDisplay() { clear(); }
  TuneDisplay(const TuneDisplay &) = delete;
  TuneDisplay &operator=(const TuneDisplay &) = delete;

  void show(const tune::SessionState &state);
  /// Removes the lines from the terminal.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  enum class Style { None, Screen, Lines } style;
  std::string title, stage;
  unsigned linesShown = 0;
  std::optional<Clock::time_point> lastLine;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_COMMANDS_TUNEDISPLAY_H
