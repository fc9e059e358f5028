// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BenchReport.h"

#include "Commands.h"
#include "terminal/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

double BenchReport::percentOfPeak() const {
  return peak > 0 ? 100 * flops / (minMs / 1000) / peak
                  : std::numeric_limits<double>::quiet_NaN();
}

std::vector<KernelTime> BenchReport::kernels() const {
  std::vector<KernelTime> result;
  llvm::StringMap<size_t> places;
  for (const StepTime &step : steps) {
    auto [it, isNew] = places.try_emplace(step.kernel, result.size());
    if (isNew)
      result.push_back({step.kernel, step.layer, 0, 0, 0, 0});
    KernelTime &kernel = result[it->second];
    kernel.calls += 1;
    kernel.milliseconds += step.milliseconds;
    kernel.flops += step.flops;
    kernel.bytes += step.bytes;
  }
  llvm::stable_sort(result, [](const KernelTime &a, const KernelTime &b) {
    return a.milliseconds > b.milliseconds;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// An earlier report
//===----------------------------------------------------------------------===//

llvm::Expected<EarlierBench> vitc::tool::readEarlierBench(StringRef path) {
  auto root = readJson(path);
  if (!root)
    return root.takeError();
  if (!root->has("min_ms") || !root->has("median_ms"))
    return userError(path, "is not the output of `vitc bench --json`");
  EarlierBench earlier;
  earlier.path = path.str();
  for (auto [key, field] : {std::pair("name", &earlier.name),
                            std::pair("target", &earlier.target)}) {
    auto value = root->getString(key);
    if (!value)
      return value.takeError();
    *field = std::move(*value);
  }
  for (auto [key, field] : {std::pair("batch", &earlier.batch),
                            std::pair("threads", &earlier.threads)}) {
    auto value = root->getInteger(key);
    if (!value)
      return value.takeError();
    *field = *value;
  }
  for (auto [key, field] : {std::pair("min_ms", &earlier.minMs),
                            std::pair("median_ms", &earlier.medianMs),
                            std::pair("p99_ms", &earlier.p99Ms),
                            std::pair("load_ms", &earlier.loadMs)}) {
    auto value = root->getNumber(key);
    if (!value)
      return value.takeError();
    *field = *value;
  }
  auto resident = root->getNumber("rss_mb", NAN); // null if it was emulated
  if (!resident)
    return resident.takeError();
  earlier.rssMb = *resident;
  const llvm::json::Value *kernels = root->get("kernels");
  if (kernels && kernels->getAsArray())
    for (const llvm::json::Value &entry : *kernels->getAsArray())
      if (const llvm::json::Object *kernel = entry.getAsObject()) {
        auto name = kernel->getString("kernel");
        auto time = kernel->getNumber("ms");
        if (name && time)
          earlier.kernels.push_back({name->str(), *time});
      }
  return earlier;
}

/// What makes two measurements unfit to be compared, or an empty text.
static std::string difference(const BenchReport &report,
                              const EarlierBench &earlier) {
  std::vector<std::string> parts;
  auto compare = [&](StringRef what, std::string now, std::string before) {
    if (now != before)
      parts.push_back((what + " " + before + " then, " + now + " now").str());
  };
  compare("model", report.name, earlier.name);
  compare("target", report.target, earlier.target);
  compare("batch", std::to_string(report.batch), std::to_string(earlier.batch));
  compare("threads", std::to_string(report.threads),
          std::to_string(earlier.threads));
  return llvm::join(parts, "; ");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string formatPercent(double value) {
  return std::isfinite(value) ? formatFixed(value, 1) + "%" : "unknown";
}

static double shareOfPeak(const BenchReport &report, double flops, double ms) {
  return report.peak > 0 && ms > 0 ? 100 * flops / (ms / 1000) / report.peak
                                   : std::numeric_limits<double>::quiet_NaN();
}

static void printKernels(const BenchReport &report) {
  using Align = Table::Align;
  Table table({{"kernel", Align::Left},
               {"first layer", Align::Left},
               {"calls", Align::Right},
               {"ms", Align::Right},
               {"time", Align::Right},
               {"GFLOP/s", Align::Right},
               {"of peak", Align::Right},
               {"GB/s", Align::Right}});
  double total = 0;
  for (const StepTime &step : report.steps)
    total += step.milliseconds;
  for (const KernelTime &kernel : report.kernels()) {
    double ms = kernel.milliseconds;
    bool counts = kernel.flops > 0 && ms > 0;
    table.add(
        {kernel.kernel, terminalText(kernel.layer),
         std::to_string(kernel.calls), formatFixed(ms, 3),
         formatPercent(100 * ms / total),
         counts ? formatFixed(kernel.flops / ms / 1e6, 1) : "",
         counts ? formatPercent(shareOfPeak(report, kernel.flops, ms)) : "",
         ms > 0 ? formatFixed(kernel.bytes / ms / 1e6, 1) : ""});
  }
  llvm::outs() << "\n";
  table.print(out());
}

static void printComparison(const BenchReport &report,
                            const EarlierBench &earlier) {
  llvm::raw_ostream &os = out();
  using Align = Table::Align;
  Table table({{"compared with " + earlier.path, Align::Left},
               {"then", Align::Right},
               {"now", Align::Right},
               {"now/then", Align::Right}});
  auto add = [&](StringRef what, double before, double now) {
    table.add({what.str(), formatFixed(before, 3), formatFixed(now, 3),
               before > 0 ? formatFixed(now / before, 3) : ""});
  };
  add("min_ms", earlier.minMs, report.minMs);
  add("median_ms", earlier.medianMs, report.medianMs);
  add("p99_ms", earlier.p99Ms, report.p99Ms);
  add("load_ms", earlier.loadMs, report.loadMs);
  if (std::isfinite(earlier.rssMb) && std::isfinite(report.rssMb))
    add("rss_mb", earlier.rssMb, report.rssMb);
  for (const KernelTime &kernel : report.kernels())
    for (const auto &[name, ms] : earlier.kernels)
      if (name == kernel.kernel)
        add(name, ms, kernel.milliseconds);
  os << "\n";
  table.print(os);
}

void vitc::tool::printBench(const BenchReport &report,
                            const EarlierBench *earlier) {
  llvm::raw_ostream &os = out();
  auto line = [&](StringRef head, const llvm::Twine &text) {
    os << "  " << llvm::left_justify(head, 12) << text << "\n";
  };
  os << report.name << " for " << report.target << ", " << report.precision
     << ", batch " << report.batch << ", " << report.threads
     << (report.threads == 1 ? " thread, " : " threads, ") << report.runs
     << " runs\n";
  if (!report.emulator.empty())
    line("emulated",
         "by " + report.emulator + ": these are its times, not a processor's");
  line("time", formatFixed(report.minMs, 3) + " ms min, " +
                   formatFixed(report.medianMs, 3) + " ms median, " +
                   formatFixed(report.p99Ms, 3) + " ms p99");
  line("throughput", formatFixed(report.imagesPerSecond(), 1) + " images/s");
  line("arithmetic",
       formatFixed(report.gflops(), 1) + " GFLOP/s" +
           (report.peak > 0
                ? ", " + formatPercent(report.percentOfPeak()) + " of the " +
                      formatFixed(report.peak / 1e9, 1) +
                      " measured for multiply-adds alone"
                : std::string()));
  if (std::isfinite(report.rssMb))
    line("memory", formatFixed(report.rssMb, 1) + " MB resident");
  line("load", formatFixed(report.loadMs, 2) + " ms");
  if (!report.steps.empty())
    printKernels(report);
  if (!earlier)
    return;
  if (std::string what = difference(report, *earlier); !what.empty())
    printWarning(earlier->path + " is of another measurement: " + what);
  printComparison(report, *earlier);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeKernels(llvm::json::OStream &json, const BenchReport &report) {
  json.attributeArray("kernels", [&] {
    for (const KernelTime &kernel : report.kernels())
      json.object([&] {
        json.attribute("kernel", kernel.kernel);
        json.attribute("calls", kernel.calls);
        jsonNumber(json, "ms", kernel.milliseconds);
        jsonNumber(json, "gflops", kernel.flops / kernel.milliseconds / 1e6);
        jsonNumber(json, "percent_of_peak",
                   shareOfPeak(report, kernel.flops, kernel.milliseconds));
        jsonNumber(json, "gb_per_s", kernel.bytes / kernel.milliseconds / 1e6);
      });
  });
  json.attributeArray("steps", [&] {
    for (const StepTime &step : report.steps)
      json.object([&] {
        jsonText(json, "layer", step.layer);
        json.attribute("kernel", step.kernel);
        jsonNumber(json, "ms", step.milliseconds);
        jsonNumber(json, "flops", step.flops);
        jsonNumber(json, "bytes", step.bytes);
      });
  });
}

void vitc::tool::printBenchJson(const BenchReport &report,
                                const EarlierBench *earlier) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", report.name);
    json.attribute("target", report.target);
    json.attribute("precision", report.precision);
    json.attribute("emulator",
                   report.emulator.empty()
                       ? llvm::json::Value(nullptr)
                       : llvm::json::Value(utf8Text(report.emulator)));
    json.attribute("batch", report.batch);
    json.attribute("threads", int64_t(report.threads));
    json.attribute("runs", report.runs);
    jsonNumber(json, "min_ms", report.minMs);
    jsonNumber(json, "median_ms", report.medianMs);
    jsonNumber(json, "p99_ms", report.p99Ms);
    jsonNumber(json, "images_per_s", report.imagesPerSecond());
    jsonNumber(json, "flops", report.flops);
    jsonNumber(json, "gflops", report.gflops());
    jsonNumber(json, "percent_of_peak", report.percentOfPeak());
    jsonNumber(json, "peak_gflops", report.peak > 0 ? report.peak / 1e9 : NAN);
    jsonNumber(json, "rss_mb", report.rssMb);
    jsonNumber(json, "process_rss_mb", report.processRssMb);
    jsonNumber(json, "load_ms", report.loadMs);
    if (!report.steps.empty())
      writeKernels(json, report);
    if (earlier)
      json.attributeObject("compare", [&] {
        jsonText(json, "file", earlier->path);
        jsonText(json, "difference", difference(report, *earlier));
        jsonNumber(json, "min_ms", report.minMs / earlier->minMs);
        jsonNumber(json, "median_ms", report.medianMs / earlier->medianMs);
        jsonNumber(json, "p99_ms", report.p99Ms / earlier->p99Ms);
      });
  });
  llvm::outs() << "\n";
}
