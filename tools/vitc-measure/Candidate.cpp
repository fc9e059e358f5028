// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Candidate.h"

#include "vitc/Support/Escape.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <unistd.h>
#include <utility>

using namespace vitc;
using namespace vitc::measure;
namespace json = llvm::json;
using Clock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

constexpr size_t alignment = 64;
/// Behind every buffer, to see whether it is left alone.
constexpr size_t guardFloats = 64;
constexpr float guardValue = -12345.5f;

float *Memory::allocate(size_t floats) {
  size_t bytes = (floats + guardFloats) * sizeof(float) + alignment;
  char *block = blocks.emplace_back(new char[bytes]).get();
  size_t address = reinterpret_cast<size_t>(block);
  auto *start = reinterpret_cast<float *>((address + alignment - 1) /
                                          alignment * alignment);
  std::fill_n(start, floats, std::numeric_limits<float>::quiet_NaN());
  std::fill_n(start + floats, guardFloats, guardValue);
  return start;
}

Memory::Memory(const Problem &problem) : problem(problem) {
  // Some times the second-level cache; no more copies than a deep model has.
  constexpr size_t coldBytes = 48 << 20, mostCopies = 48;
  size_t weightBytes = 0;
  for (const Argument &argument : problem.arguments)
    if (argument.role == families::Role::Weight)
      weightBytes += argument.floats * sizeof(float);
  if (weightBytes)
    // An odd number: both that are timed in turn then meet every copy, wherever
    // it lies.
    weightCopies =
        std::clamp<size_t>(coldBytes / weightBytes, 2, mostCopies) | 1;
  for (const Argument &argument : problem.arguments) {
    std::vector<float *> &copies = places.emplace_back();
    if (argument.sharedWith >= 0) {
      copies.push_back(places[argument.sharedWith].front() + argument.offset);
      continue;
    }
    size_t count = argument.role == families::Role::Weight ? weightCopies : 1;
    for (size_t copy = 0; copy < count; ++copy) {
      copies.push_back(allocate(argument.floats));
      std::copy(argument.values.begin(), argument.values.end(), copies.back());
    }
  }
}

std::vector<float *> Memory::pointers(size_t copy) const {
  std::vector<float *> result;
  for (const std::vector<float *> &copies : places)
    result.push_back(copies[copy % copies.size()]);
  return result;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

/// A kernel's function, whose number of arguments is known only now.
class Code {
public:
  static llvm::Expected<Code> load(const std::string &library,
                                   const std::string &symbol) {
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, symbol.c_str()) : nullptr;
    if (!function)
      return llvm::createStringError(dlerror());
    return Code(function);
  }

  void run(void *context, const std::vector<float *> &arguments) const {
    static_assert(mostArguments == 10);
    switch (arguments.size()) {
    case 2:
      return call(context, arguments, std::make_index_sequence<2>());
    case 3:
      return call(context, arguments, std::make_index_sequence<3>());
    case 4:
      return call(context, arguments, std::make_index_sequence<4>());
    case 5:
      return call(context, arguments, std::make_index_sequence<5>());
    case 6:
      return call(context, arguments, std::make_index_sequence<6>());
    case 7:
      return call(context, arguments, std::make_index_sequence<7>());
    case 8:
      return call(context, arguments, std::make_index_sequence<8>());
    case 9:
      return call(context, arguments, std::make_index_sequence<9>());
    default:
      return call(context, arguments, std::make_index_sequence<10>());
    }
  }

private:
  explicit Code(void *function) : function(function) {}

  static constexpr size_t mostArguments = 10;
  template <size_t>
  using Pointer = float *;
  template <size_t... I>
  void call(void *context, const std::vector<float *> &arguments,
            std::index_sequence<I...>) const {
    auto *kernel = reinterpret_cast<void (*)(void *, Pointer<I>...)>(function);
    kernel(context, arguments[I]...);
  }

  void *function;
};

} // namespace

/// What is wrong with the outputs, or an empty string.
static std::string compare(const Problem &problem,
                           const std::vector<float *> &places) {
  // Single precision is some hundred times better, a wrong element much worse.
  const double tolerance = problem.tolerance;
  for (size_t i = 0; i < problem.arguments.size(); ++i) {
    const Argument &argument = problem.arguments[i];
    if (argument.sharedWith >= 0)
      continue;
    for (size_t j = 0; j < guardFloats; ++j)
      if (places[i][argument.floats + j] != guardValue)
        return "argument " + std::to_string(i) + " is written beyond its end";
    double most = 0, error = 0;
    for (size_t j = 0; j < argument.expected.size(); ++j) {
      double expected = argument.expected[j];
      if (std::isnan(expected))
        continue;
      most = std::max(most, std::abs(expected));
      double difference = std::abs(places[i][j] - expected);
      error = std::isnan(difference) ? difference : std::max(error, difference);
      if (std::isnan(error))
        break;
    }
    if (!(error <= tolerance * most)) {
      char text[128];
      std::snprintf(text, sizeof(text),
                    "an output differs by %.3g from the reference, whose "
                    "largest value is %.3g",
                    error, most);
      return text;
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {

/// The times of the candidate, or of its baseline.
class Times {
public:
  Times(const Code &code, const Memory &memory, void *threads)
      : code(code), memory(memory), threads(threads) {}

  void runCold(size_t &copy) { cold.push_back(time(copy, 1)); }
  /// On the copy that was the last: any other would be warm when its turn
  /// comes, for the one whose turn it is then.
  void runWarm(size_t copy) {
    time(copy, 0);
    warm.push_back(time(copy, 0));
  }
  double leastCold() const {
    return *std::min_element(cold.begin(), cold.end());
  }
  double leastWarm() const {
    return *std::min_element(warm.begin(), warm.end());
  }
  double noise() const { return median(cold) / leastCold() - 1; }
  /// Of the times to those of `baseline` in the same rounds, the median.
  double pairedRatio(const Times &baseline) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < cold.size(); ++i)
      ratios.push_back(cold[i] / baseline.cold[i]);
    return median(std::move(ratios));
  }

private:
  static double median(std::vector<double> values) {
    auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  /// Seconds of a call, each on the next copy if `step` is 1. Short calls are
  /// repeated until the clock can tell.
  double time(size_t &copy, size_t step) {
    std::vector<std::vector<float *>> arguments;
    for (unsigned i = 0; i < repeats; ++i)
      arguments.push_back(memory.pointers(copy += step));
    Clock::time_point start = Clock::now();
    for (const std::vector<float *> &pointers : arguments)
      code.run(threads, pointers);
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count() / repeats;
    constexpr double readable = 2e-5;
    constexpr unsigned most = 64;
    if (seconds * repeats < readable && repeats < most)
      repeats *= 2;
    return seconds;
  }

  const Code &code;
  const Memory &memory;
  void *threads;
  unsigned repeats = 1;
  std::vector<double> cold, warm;
};

/// How long to go on: see `measureCandidate`.
struct Patience {
  unsigned fewest, most;
  double seconds;
};

} // namespace

/// Whether the candidate is so much slower that more rounds cannot help.
static bool isClearlyWorse(unsigned rounds, double ratio) {
  return (rounds >= 3 && ratio > 1.25) || (rounds >= 8 && ratio > 1.06);
}

json::Object vitc::measure::measureCandidate(const CandidateRequest &request,
                                             const Problem &problem,
                                             const Memory &memory,
                                             void *threads) {
  llvm::Expected<Code> code = Code::load(request.library, request.symbol);
  if (!code)
    return json::Object{{"outcome", "crash"},
                        {"detail", utf8Text(llvm::toString(code.takeError()))}};
  std::vector<float *> places = memory.pointers(0);
  code->run(threads, places);
  std::string complaint = compare(problem, places);
  if (!complaint.empty())
    return json::Object{{"outcome", "wrong"}, {"detail", complaint}};

  std::optional<Code> baseline;
  if (!request.baseline.empty()) {
    llvm::Expected<Code> loaded = Code::load(request.baseline, request.symbol);
    if (!loaded)
      return json::Object{
          {"outcome", "crash"},
          {"detail", utf8Text(llvm::toString(loaded.takeError()))}};
    baseline = *loaded;
    baseline->run(threads, places);
  }
  Times own(*code, memory, threads);
  std::optional<Times> other;
  if (baseline)
    other.emplace(*baseline, memory, threads);
  const Patience patience =
      request.thorough ? Patience{24, 400, 0.8} : Patience{8, 60, 0.15};
  Clock::time_point start = Clock::now();
  size_t copy = 0;
  for (unsigned round = 0; round < patience.most; ++round) {
    // In turn, and in turns who is first.
    for (unsigned turn = 0; turn < 2; ++turn)
      if ((round + turn) % 2 == 0)
        own.runCold(copy);
      else if (other)
        other->runCold(copy);
    if (round % 4 == 0) {
      own.runWarm(copy);
      if (other)
        other->runWarm(copy);
    }
    double elapsed =
        std::chrono::duration<double>(Clock::now() - start).count();
    if (round + 1 >= patience.fewest && elapsed > patience.seconds)
      break;
    if (other && !request.thorough &&
        isClearlyWorse(round + 1, own.leastCold() / other->leastCold()))
      break;
  }
  json::Object result{{"outcome", "ok"},
                      {"seconds", own.leastCold()},
                      {"warm_seconds", own.leastWarm()},
                      {"noise", own.noise()}};
  if (other) {
    result["baseline_seconds"] = other->leastCold();
    result["paired_ratio"] = own.pairedRatio(*other);
  }
  return result;
}
