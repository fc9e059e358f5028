// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneDisplay.h"

#include "terminal/Progress.h"
#include "terminal/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace vitc;
using namespace vitc::tool;

TuneDisplay::TuneDisplay(std::string title, bool quiet)
    : style(quiet                ? Style::None
            : isLivelyTerminal() ? Style::Screen
                                 : Style::Lines),
      title(std::move(title)) {}

/// "312 ok, 4 wrong, 1 timeout": those that there are.
static std::string
describeOutcomes(const std::array<unsigned, tune::outcomeCount> &counts) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i < tune::outcomeCount; ++i)
    if (counts[i] > 0)
      parts.push_back(std::to_string(counts[i]) + " " +
                      tune::nameOf(tune::Outcome(i)).str());
  return parts.empty() ? "none yet" : llvm::join(parts, ", ");
}

static std::string describeAmount(const tune::SessionState &state) {
  std::string text = std::to_string(state.done);
  if (state.wanted)
    text += " of " + std::to_string(*state.wanted);
  text += " trials, " + formatSeconds(state.seconds);
  if (state.secondsWanted)
    text += " of " + formatSeconds(*state.secondsWanted);
  return text;
}

/// "8.91 -> 8.02 ms, 81.2% of the peak"
static std::string describeBest(const tune::SessionState &state) {
  if (state.bestSeconds == 0)
    return "not all kernels are measured yet";
  return formatFixed(state.startSeconds * 1e3, 3) + " -> " +
         formatFixed(state.bestSeconds * 1e3, 3) + " ms in tuned kernels (" +
         formatFixed(state.startSeconds / state.bestSeconds, 3) + "x), " +
         formatFixed(state.share * 100, 1) + "% of the peak";
}

/// How much of what was asked for is done, from 0 to 1.
static double fractionDone(const tune::SessionState &state) {
  double done = 0;
  if (state.wanted && *state.wanted > 0)
    done = double(state.done) / double(*state.wanted);
  if (state.secondsWanted)
    done = std::max(done, state.seconds / *state.secondsWanted);
  return std::min(done, 1.0);
}

void TuneDisplay::clear() {
  // Up to the first line, then erase to the end of the screen (ECMA-48).
  if (linesShown > 0)
    llvm::errs() << "\r\x1b[" << linesShown << "A\x1b[J";
  linesShown = 0;
  llvm::errs().flush();
}

void TuneDisplay::show(const tune::SessionState &state) {
  if (style == Style::None)
    return;
  if (style == Style::Screen) {
    constexpr unsigned width = 30;
    unsigned filled = unsigned(width * fractionDone(state));
    clear();
    err() << terminalText(title) << ": " << state.stage << "\n["
          << std::string(filled, '#') << std::string(width - filled, '.')
          << "] " << describeAmount(state) << "\n  best      "
          << describeBest(state) << "\n  outcomes  "
          << describeOutcomes(state.outcomes) << "\n";
    linesShown = 4;
    return;
  }
  constexpr std::chrono::seconds patience(10);
  bool isNews =
      stage != state.stage || !lastLine || Clock::now() - *lastLine >= patience;
  if (!isNews)
    return;
  stage = state.stage;
  lastLine = Clock::now();
  err() << "vitc: " << state.stage << ": " << describeAmount(state) << "; "
        << describeBest(state) << "; " << describeOutcomes(state.outcomes)
        << "\n";
}
