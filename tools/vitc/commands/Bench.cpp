// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc bench`: time, memory and share of the processor's peak.
#include "BenchReport.h"
#include "Commands.h"
#include "common/Peak.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <unistd.h>

using namespace vitc;
using namespace vitc::tool;

namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::string folder, compareFile;
  unsigned threads = 0;
  std::optional<int64_t> runs;
  std::optional<double> seconds;
  bool perKernel = false, json = false;
};

/// Times of every step over the runs.
struct StepClock {
  Clock::time_point last;
  std::vector<std::vector<double>> milliseconds; ///< [step][run]

  static void observe(void *user, int32_t step, const void *) {
    auto *self = static_cast<StepClock *>(user);
    Clock::time_point now = Clock::now();
    self->milliseconds[step].push_back(
        std::chrono::duration<double, std::milli>(now - self->last).count());
    self->last = Clock::now();
  }
};

/// Runs the library and the peak loop in turn.
class Bench {
public:
  Bench(const Library &library, const BenchOptions &options, Context &context,
        PeakMeter &peak)
      : library(library), options(options), context(context), peak(peak),
        outputs(library.getModel()),
        pixels(makeNoise(library.tensorElements())) {}

  llvm::Error warmUp();
  /// One time in milliseconds for each run.
  llvm::Expected<std::vector<double>> measure();
  llvm::Expected<std::vector<StepTime>> measureSteps();
  /// The part of the runs' time for which the calling thread had a processor.
  double processorShare() const { return processorMs / wallMs; }

private:
  llvm::Expected<double> runOnce();
  /// Whether there is time, or a run, left.
  bool goesOn(Clock::time_point start, size_t runs) const;

  const Library &library;
  const BenchOptions &options;
  Context &context;
  PeakMeter &peak;
  OutputBuffers outputs;
  std::vector<float> pixels;
  double processorMs = 0, wallMs = 0;
};

} // namespace

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Time for which the calling thread had a processor.
static double threadMilliseconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

/// The resident set of this process in bytes: the second figure of statm.
static double residentBytes() {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm");
  if (!buffer)
    return 0;
  uint64_t pages = 0;
  llvm::StringRef text = (*buffer)->getBuffer();
  text.split(' ').second.split(' ').first.getAsInteger(10, pages);
  return double(pages) * double(sysconf(_SC_PAGESIZE));
}

/// The value below which the share `part` of the sorted values lies.
static double quantile(llvm::ArrayRef<double> sorted, double part) {
  size_t index = size_t(part * double(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

llvm::Expected<double> Bench::runOnce() {
  double processorStart = threadMilliseconds();
  Clock::time_point start = Clock::now();
  if (llvm::Error error = context.runTensor(pixels, outputs))
    return error;
  double time = millisecondsSince(start);
  processorMs += threadMilliseconds() - processorStart;
  wallMs += time;
  return time;
}

llvm::Error Bench::warmUp() {
  // Threads started, pages touched, clock raised.
  constexpr double enough = 200;
  constexpr int least = 2;
  Clock::time_point start = Clock::now();
  for (int i = 0; i < least || millisecondsSince(start) < enough; ++i)
    if (auto time = runOnce(); !time)
      return time.takeError();
  return llvm::Error::success();
}

bool Bench::goesOn(Clock::time_point start, size_t runs) const {
  if (options.runs)
    return int64_t(runs) < *options.runs;
  constexpr double usualSeconds = 3;
  constexpr size_t least = 5;
  return runs < least || millisecondsSince(start) <
                             1000 * options.seconds.value_or(usualSeconds);
}

llvm::Expected<std::vector<double>> Bench::measure() {
  // A measurement of the peak after each tenth of a second: both see the same
  // machine.
  constexpr double turn = 100;
  std::vector<double> times;
  Clock::time_point start = Clock::now(), lastTurn = start;
  peak.measure();
  while (goesOn(start, times.size())) {
    auto time = runOnce();
    if (!time)
      return time.takeError();
    times.push_back(*time);
    if (millisecondsSince(lastTurn) < turn)
      continue;
    peak.measure();
    lastTurn = Clock::now();
  }
  peak.measure();
  llvm::sort(times);
  return times;
}

llvm::Expected<std::vector<StepTime>> Bench::measureSteps() {
  StepClock clock;
  clock.milliseconds.resize(library.steps().size());
  context.observe(StepClock::observe, &clock);
  Clock::time_point start = Clock::now();
  size_t runs = 0;
  for (; goesOn(start, runs); ++runs) {
    clock.last = Clock::now();
    if (auto time = runOnce(); !time)
      return time.takeError();
  }
  context.observe(nullptr, nullptr);
  std::vector<StepTime> steps;
  const double images = double(runs) * library.getModel().batch;
  for (auto [step, times] : llvm::zip(library.steps(), clock.milliseconds)) {
    if (times.empty()) // a step of other levels
      continue;
    llvm::sort(times);
    // A step runs for each image, or once for all of them.
    double perImage = double(times.size()) / images;
    steps.push_back({step.name, step.kernel, perImage * quantile(times, 0.5),
                     perImage * step.flops, perImage * step.bytes});
  }
  return steps;
}

static llvm::Expected<BenchReport> measure(const BenchOptions &options) {
  constexpr double megabyte = 1e6;
  double before = residentBytes();
  auto library = Library::open(options.folder);
  if (!library)
    return library.takeError();
  BenchReport report;
  report.name = (*library)->getManifest().name;
  report.target = (*library)->getManifest().target;
  report.precision = (*library)->getManifest().precision;
  report.emulator = (*library)->emulator().str();
  report.batch = (*library)->getModel().batch;
  report.flops = (*library)->getModel().flops;
  report.threads = options.threads ? options.threads : usableCores();

  Clock::time_point start = Clock::now();
  auto context = (*library)->createContext(report.threads);
  if (!context)
    return context.takeError();
  report.loadMs = millisecondsSince(start);

  PeakMeter peak(report.target, report.threads);
  Bench bench(**library, options, **context, peak);
  if (llvm::Error error = bench.warmUp())
    return error;
  auto times = bench.measure();
  if (!times)
    return times.takeError();
  report.runs = int64_t(times->size());
  report.minMs = times->front();
  report.medianMs = quantile(*times, 0.5);
  report.p99Ms = quantile(*times, 0.99);
  report.peak = peak.best();
  // An emulator's memory says nothing about the library's.
  report.processRssMb =
      report.emulator.empty() ? residentBytes() / megabyte : NAN;
  report.rssMb = report.processRssMb - before / megabyte;
  // With more threads, waiting for one another is part of the work.
  constexpr double enough = 0.9;
  if (report.emulator.empty() && report.threads == 1 &&
      bench.processorShare() < enough)
    printWarning("the machine is busy: the runs had a processor for " +
                 formatFixed(100 * bench.processorShare(), 0) +
                 "% of their time, so they seem slower than they are");
  if (options.perKernel) {
    auto steps = bench.measureSteps();
    if (!steps)
      return steps.takeError();
    report.steps = std::move(*steps);
  }
  return report;
}

llvm::Error vitc::tool::benchCommand(const Invocation &invocation) {
  BenchOptions settings;
  Options options("bench", "OUT [options]",
                  "Measures a compiled library on a tensor of noise: time of "
                  "one run, images a second, memory, and the share of the "
                  "multiply-add peak, which is measured in the same process "
                  "between the runs.");
  options.argument("OUT", settings.folder,
                   "a folder that `vitc compile` wrote");
  options.integer(
      "threads", "N", 0, 1024,
      [&](int64_t n) { settings.threads = unsigned(n); },
      "threads to use (default: one per core)");
  options.integer(
      "runs", "N", 1, 100000000, [&](int64_t n) { settings.runs = n; },
      "how many runs to time");
  options.number("seconds", "S", settings.seconds,
                 "how long to run, at least 5 runs (default 3)");
  options.flag("per-kernel", settings.perKernel,
               "also show the time of each kernel, largest first");
  options.flag("json", settings.json, "print JSON (docs/CommandLine.md)");
  options.text("compare", "EARLIER.json", settings.compareFile,
               "compare with what --json printed before");
  options.example("vitc bench out --threads 1 --per-kernel",
                  "where does the time go on one core?");
  options.example("vitc bench out --json > before.json", "keep a measurement");
  options.example("vitc bench out --compare before.json",
                  "is it faster than before?");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (settings.runs && settings.seconds)
    return userError("--runs and --seconds both say when to stop; give one");

  std::optional<EarlierBench> earlier;
  if (!settings.compareFile.empty()) {
    auto read = readEarlierBench(settings.compareFile);
    if (!read)
      return read.takeError();
    earlier = std::move(*read);
  }
  auto report = measure(settings);
  if (!report)
    return report.takeError();
  if (settings.json)
    printBenchJson(*report, earlier ? &*earlier : nullptr);
  else
    printBench(*report, earlier ? &*earlier : nullptr);
  return llvm::Error::success();
}
