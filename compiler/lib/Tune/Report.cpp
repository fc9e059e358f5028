// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The page that shows a session: one file, no scripts, nothing fetched.
#include "vitc/Records/Machine.h"
#include "vitc/Support/Escape.h"
#include "vitc/Tune/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace vitc;
using namespace vitc::tune;

static constexpr llvm::StringLiteral style = R"css(
:root{--ink:#1c2430;--soft:#5b6675;--line:#dde2ea;--before:#b9c3d3;--after:#1f6feb;--bad:#c2410c;--page:#f6f7f9;--card:#fff}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 12px}
p,small{color:var(--soft);margin:0}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-top:20px}
.tile,.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px}
.tile b{display:block;font-size:22px;font-variant-numeric:tabular-nums}
.card+.card{margin-top:12px}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:6px 8px;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:13px}td.n,th.n{text-align:right;white-space:nowrap}
.bar{height:8px;border-radius:4px;background:var(--before);margin:3px 0;min-width:1px}.bar.after{background:var(--after)}.bar.bad{background:var(--bad)}
.rail{width:150px}svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}
)css";

static std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

static std::string percent(double share) { return fixed(share * 100, 1) + "%"; }

/// A figure as people read it, with the exact value beside it for programs. The
/// name is its path in the JSON of `vitc tune --json`.
static std::string figure(const llvm::Twine &name, double value,
                          const llvm::Twine &text) {
  return llvm::formatv(R"(<span data-figure="{0}" data-value="{1}">{2}</span>)",
                       name.str(), llvm::json::Value(value),
                       htmlText(text.str()))
      .str();
}

static std::string tile(llvm::StringRef label, const std::string &value) {
  return ("<div class=tile><b>" + value + "</b><small>" + label +
          "</small></div>\n")
      .str();
}

static std::string bar(double share, llvm::StringRef kind) {
  if (share <= 0)
    return "";
  return "<div class=\"bar " + kind.str() +
         "\" style=\"width:" + fixed(std::clamp(share, 0.0, 1.0) * 100, 1) +
         "%\"></div>";
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Time of the tuned kernels over the trials: steps down, since a schedule is
/// found at once.
static std::string progressCurve(const Summary &summary) {
  if (summary.progress.size() < 2)
    return "<p>Too few trials for a curve.</p>\n";
  constexpr double width = 1000, height = 320, left = 84, right = 20, top = 16,
                   bottom = 44;
  double least = summary.progress.back().modelSeconds, most = least;
  for (const Summary::Point &point : summary.progress) {
    least = std::min(least, point.modelSeconds);
    most = std::max(most, point.modelSeconds);
  }
  double margin = std::max((most - least) * 0.08, least * 0.002);
  least -= margin;
  most += margin;
  double trials = std::max(1u, summary.trials);
  auto x = [&](double count) {
    return left + count / trials * (width - left - right);
  };
  auto y = [&](double seconds) {
    return top + (most - seconds) / (most - least) * (height - top - bottom);
  };
  std::string path, marks;
  double last = 0;
  for (const Summary::Point &point : summary.progress) {
    path += path.empty()
                ? "M" + fixed(x(point.trials), 1) + " " +
                      fixed(y(point.modelSeconds), 1)
                : "L" + fixed(x(point.trials), 1) + " " + fixed(last, 1) + "L" +
                      fixed(x(point.trials), 1) + " " +
                      fixed(y(point.modelSeconds), 1);
    last = y(point.modelSeconds);
  }
  path += "L" + fixed(x(trials), 1) + " " + fixed(last, 1);
  constexpr int steps = 4;
  // As many digits as tell two marks apart.
  double step = (most - least) / steps;
  int digits = std::max(0, int(std::ceil(-std::log10(step * 1e3))) + 1);
  for (int i = 0; i <= steps; ++i) {
    double seconds = least + step * i;
    marks +=
        llvm::formatv(
            R"(<line x1="{0}" x2="{1}" y1="{2}" y2="{2}" stroke="#dde2ea"/><text x="{3}" y="{4}" text-anchor="end">{5} ms</text>)",
            left, width - right, fixed(y(seconds), 1), left - 8,
            fixed(y(seconds) + 4, 1), fixed(seconds * 1e3, digits))
            .str();
  }
  const int countMarks = std::min(steps, int(trials));
  for (int i = 0; i <= countMarks; ++i) {
    double count = std::round(trials * i / countMarks);
    marks += llvm::formatv(
                 R"(<text x="{0}" y="{1}" text-anchor="middle">{2}</text>)",
                 fixed(x(count), 1), height - bottom + 20, std::lround(count))
                 .str();
  }
  return llvm::formatv(
             R"(<svg viewBox="0 0 {0} {1}" role="img" aria-label="time of the tuned kernels by number of trials">{2}<path d="{3}" fill="none" stroke="#1f6feb" stroke-width="2.5"/><text x="{4}" y="{5}" text-anchor="middle">trials</text></svg>)",
             width, height, marks, path, width / 2, height - 6)
             .str() +
         "\n";
}

static std::string kernelTable(const Summary &summary) {
  std::string rows;
  for (auto [index, entry] : llvm::enumerate(summary.kernels)) {
    std::string place = "kernels." + std::to_string(index) + ".";
    rows +=
        "<tr><td><code>" + htmlText(entry.kernel.name) + "</code><br><small>" +
        htmlText(entry.words()) + "</small></td><td class=n>" +
        figure(place + "calls", double(entry.kernel.calls),
               std::to_string(entry.kernel.calls)) +
        "</td><td class=n>" +
        figure(place + "trials", entry.trials, std::to_string(entry.trials)) +
        "</td><td class=n>" +
        figure(place + "default_seconds", entry.defaultSeconds,
               fixed(entry.defaultSeconds * 1e6, 1) + " µs") +
        "</td><td class=n>" +
        figure(place + "best_seconds", entry.bestSeconds,
               fixed(entry.bestSeconds * 1e6, 1) + " µs") +
        "</td><td class=n>" +
        figure(place + "speedup", entry.speedup(),
               fixed(entry.speedup(), 3) + "×") +
        "</td><td class=rail>" + bar(entry.shareBefore, "") +
        bar(entry.shareAfter, "after") + "<small>" +
        figure(place + "share_of_peak_before", entry.shareBefore,
               percent(entry.shareBefore)) +
        " → " +
        figure(place + "share_of_peak_after", entry.shareAfter,
               percent(entry.shareAfter)) +
        "</small></td></tr>\n";
  }
  return "<table><tr><th>kernel, and what changed in its schedule</th><th "
         "class=n>calls</th><th class=n>trials</th><th "
         "class=n>default</th><th class=n>tuned</th><th "
         "class=n>gain</th><th>share of the peak, before and "
         "after</th></tr>\n" +
         rows + "</table>\n";
}

static std::string outcomeTable(const Summary &summary) {
  static constexpr llvm::StringLiteral meanings[outcomeCount] = {
      "compiled, correct and timed",
      "computed something else than the reference",
      "the backend or the kernel died",
      "took longer than its limit",
      "wanted more memory than its limit",
      "spilled registers in an inner loop; not timed",
      "refused by the backend"};
  std::string rows;
  for (unsigned i = 0; i < outcomeCount; ++i) {
    std::string name = nameOf(Outcome(i)).str();
    double share =
        summary.trials ? double(summary.outcomes[i]) / summary.trials : 0;
    rows += "<tr><td>" + name + "</td><td class=n>" +
            figure("outcomes." + name, summary.outcomes[i],
                   std::to_string(summary.outcomes[i])) +
            "</td><td class=rail>" + bar(share, i == 0 ? "after" : "bad") +
            "</td><td><small>" + meanings[i].str() + "</small></td></tr>\n";
  }
  return "<table><tr><th>outcome</th><th class=n>trials</th><th></th><th>"
         "meaning</th></tr>\n" +
         rows + "</table>\n";
}

static std::string importanceCards(const Summary &summary) {
  std::string cards;
  for (auto [index, entry] : llvm::enumerate(summary.kernels)) {
    if (entry.importance.empty())
      continue;
    cards += "<div class=card><code>" + htmlText(entry.kernel.name) +
             "</code><table>\n";
    for (auto [number, one] : llvm::enumerate(entry.importance))
      cards += "<tr><td><code>" + htmlText(one.parameter) +
               "</code></td><td class=n>" +
               figure("kernels." + llvm::Twine(index) + ".importance." +
                          llvm::Twine(number) + ".share",
                      one.share, percent(one.share)) +
               "</td><td class=rail>" + bar(one.share, "after") +
               "</td><td><small>" + htmlText(one.meaning) +
               "</small></td></tr>\n";
    cards += "</table></div>\n";
  }
  return cards.empty() ? "<p>Too few trials to tell.</p>\n" : cards;
}

std::string vitc::tune::renderReport(const Summary &summary) {
  const SessionRow &session = summary.session;
  std::string page =
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width\">"
      // No browser will fetch or run anything for this page.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'\">"
      "<title>Tuning of " +
      htmlText(session.model) + "</title><style>" + style.str() +
      "</style></head><body><main>\n<h1>Tuning of " + htmlText(session.model) +
      "</h1>\n<p>" + htmlText(session.target) + " on " +
      htmlText(session.machine) + " (" + htmlText(session.cpu) + "), " +
      std::to_string(session.threads) +
      (session.threads == 1 ? " thread" : " threads") + ", " +
      timestamp(session.created) + "</p>\n<p><code>" +
      htmlText(session.command) + "</code></p>\n<div class=tiles>\n";
  page += tile("tuned kernels of a run, default",
               figure("default_seconds", summary.defaultSeconds,
                      fixed(summary.defaultSeconds * 1e3, 3) + " ms"));
  page += tile("tuned", figure("best_seconds", summary.bestSeconds,
                               fixed(summary.bestSeconds * 1e3, 3) + " ms"));
  page += tile("faster", figure("speedup", summary.speedup(),
                                fixed(summary.speedup(), 3) + "×"));
  page += tile("share of the peak, before and after",
               figure("share_of_peak_before", summary.shareBefore,
                      percent(summary.shareBefore)) +
                   " → " +
                   figure("share_of_peak_after", summary.shareAfter,
                          percent(summary.shareAfter)));
  page += tile("trials", figure("trials", summary.trials,
                                std::to_string(summary.trials)));
  page += tile("time spent", figure("seconds", session.seconds,
                                    fixed(session.seconds, 0) + " s"));
  page += "</div>\n<h2>Progress</h2>\n<div class=card>" +
          progressCurve(summary) +
          "<p>Time of a run's tuned kernels, each with its best schedule so "
          "far, as the search measured it.</p></div>\n";
  page += "<h2>Kernels</h2>\n<div class=card>" + kernelTable(summary) +
          "<p>Cold weights, timed in turn with the default, least of many "
          "runs. The peak is " +
          figure("peak_flops", summary.peak,
                 fixed(summary.peak / 1e9, 1) + " GFLOP/s") +
          ", the best multiply-add rate that the core reached meanwhile.</p>"
          "</div>\n";
  page += "<h2>Outcomes</h2>\n<div class=card>" + outcomeTable(summary) +
          "</div>\n<h2>What matters</h2>\n<p>The share of each parameter in "
          "what a model, learnt from the trials, predicts a schedule's time "
          "by.</p><br>\n" +
          importanceCards(summary);
  if (!summary.notTuned.empty()) {
    page += "<h2>Not tuned</h2>\n<div class=card><table>\n";
    for (const auto &[kernel, reason] : summary.notTuned)
      page += "<tr><td><code>" + htmlText(kernel) + "</code></td><td><small>" +
              htmlText(reason) + "</small></td></tr>\n";
    page += "</table></div>\n";
  }
  return page + "</main></body></html>\n";
}
