// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc-measure: runs candidates of one kernel for `vitc tune` and `vitc
/// worker`, each in a child process with limits of time and memory.
///
/// It reads a line of JSON that describes the kernel, makes inputs and what
/// they must lead to, and answers {"ready":true} or {"error":…}. Each further
/// line asks for one candidate and is answered by one line. Making the problem
/// once and forking keeps a candidate's trial at some hundred milliseconds.
#include "Candidate.h"
#include "common/Peak.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/JsonReader.h"
#include "vitc/runtime/threads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitc;
using namespace vitc::measure;
namespace json = llvm::json;

static void answer(json::Object object) {
  llvm::outs() << json::Value(std::move(object)) << "\n";
  llvm::outs().flush();
}

static json::Object outcome(llvm::StringRef name, const llvm::Twine &detail) {
  return json::Object{{"outcome", name}, {"detail", utf8Text(detail.str())}};
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

static void limitSelf(double seconds, int64_t megabytes) {
  // What is mapped already does not count against the candidate.
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlim_t bytes =
      rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + (rlim_t(megabytes) << 20);
  rlimit memory{bytes, bytes};
  setrlimit(RLIMIT_AS, &memory);
  rlim_t processor = rlim_t(seconds) + 1;
  rlimit time{processor, processor};
  setrlimit(RLIMIT_CPU, &time);
  rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
}

[[noreturn]] static void runChild(int answers, const CandidateRequest &request,
                                  const Problem &problem, const Memory &memory,
                                  int threadCount, double seconds,
                                  int64_t megabytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limitSelf(seconds, megabytes);
  std::set_new_handler([] { _exit(outOfMemoryCode); });
  // Candidates may keep more on the stack than kernels should.
  constexpr size_t stackBytes = size_t(1024) * 1024;
  rt::Threads *threads = nullptr;
  if (threadCount > 1 && rt::startThreads(threadCount, nullptr, nullptr,
                                          stackBytes, &threads) != VITC_OK)
    _exit(outOfMemoryCode);
  std::string text = llvm::formatv(
      "{0}\n",
      json::Value(measureCandidate(request, problem, memory, threads)));
  size_t written = 0;
  while (written < text.size()) {
    ssize_t count =
        write(answers, text.data() + written, text.size() - written);
    if (count <= 0)
      break;
    written += size_t(count);
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

/// All that comes out of the pipe until it is closed; false if that takes
/// longer than `seconds`. Time in which the whole machine, or this process, was
/// suspended does not count.
static bool readAll(int pipe, double seconds, std::string &text) {
  using Clock = std::chrono::steady_clock;
  constexpr double slice = 0.2;
  double waited = 0;
  while (waited < seconds) {
    Clock::time_point start = Clock::now();
    pollfd wait{pipe, POLLIN, 0};
    int ready = poll(&wait, 1, int(slice * 1000));
    double taken = std::chrono::duration<double>(Clock::now() - start).count();
    waited += std::min(taken, 2 * slice);
    if (ready <= 0)
      continue;
    char buffer[4096];
    ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count <= 0)
      return true;
    text.append(buffer, size_t(count));
  }
  return false;
}

static json::Object judge(int status, bool inTime, const std::string &text,
                          double seconds, int64_t megabytes) {
  if (!inTime || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
    return outcome("timeout",
                   llvm::formatv("not done after {0:f1} s", seconds));
  if (WIFEXITED(status) && WEXITSTATUS(status) == outOfMemoryCode)
    return outcome("memory",
                   "wanted more than " + llvm::Twine(megabytes) + " MB");
  // Nobody here kills a child that is in time: it was the system, out of
  // memory.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return outcome("memory", "ended by the system");
  if (WIFSIGNALED(status))
    return outcome("crash", strsignal(WTERMSIG(status)));
  llvm::Expected<json::Object> object = parseJsonObject("answer", text);
  if (!object) {
    llvm::consumeError(object.takeError());
    return outcome("crash", "it ended without an answer");
  }
  return std::move(*object);
}

static json::Object tryCandidate(const JsonObject &line, const Problem &problem,
                                 const Memory &memory, int threads) {
  constexpr double longest = 3600;
  constexpr int64_t mostMegabytes = 1 << 20;
  JsonReader fields(line);
  CandidateRequest request;
  request.library = fields.text("library", std::nullopt);
  request.baseline = fields.text("baseline", "");
  request.symbol = fields.text("symbol", std::nullopt);
  request.thorough = fields.boolean("thorough", false);
  double seconds = fields.above0("seconds", 10, longest);
  int64_t megabytes = fields.positive("megabytes", 1024, mostMegabytes);
  if (llvm::Error error = fields.finish())
    return outcome("invalid", llvm::toString(std::move(error)));
  int ends[2];
  if (pipe(ends) != 0)
    return outcome("crash", "no pipe");
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], request, problem, memory, threads, seconds, megabytes);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return outcome("crash", "no process");
  }
  std::string text;
  bool inTime = readAll(ends[0], seconds, text);
  close(ends[0]);
  if (!inTime)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return judge(status, inTime, text, seconds, megabytes);
}

/// A kernel may be described whose arguments no machine can hold. That is an
/// answer, and not the end of others.
static void limitToMemory() {
  rlim_t bytes =
      rlim_t(sysconf(_SC_PHYS_PAGES)) * rlim_t(sysconf(_SC_PAGESIZE));
  rlimit memory;
  if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur > bytes) {
    memory.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &memory);
  }
}

namespace {
/// The first line: the kernel.
struct Order {
  std::string family, target;
  json::Object spec;
  int64_t threads;
};
} // namespace

static llvm::Expected<Order> readOrder(llvm::StringRef line) {
  constexpr int64_t mostThreads = 1024;
  llvm::Expected<JsonObject> object = parseJson("order", line.str());
  if (!object)
    return object.takeError();
  JsonReader fields(*object);
  Order order;
  order.family = fields.text("family", std::nullopt);
  order.target = fields.text("target", "");
  order.spec = fields.objectAt("spec");
  order.threads = fields.positive("threads", 1, mostThreads);
  if (llvm::Error error = fields.finish())
    return error;
  return order;
}

int main(int argc, char **argv) {
  if (argc > 1 && llvm::StringRef(argv[1]) == "--families") {
    llvm::outs() << json::Value(json::Array(Problem::families())) << "\n";
    return 0;
  }
  if (argc > 1) {
    llvm::outs() << "vitc-measure is started by `vitc tune` and `vitc "
                    "worker`, and reads its orders from standard input\n";
    return llvm::StringRef(argv[1]) == "--help" ? 0 : 1;
  }
  // Its user may be killed at any moment.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string line;
  if (!std::getline(std::cin, line))
    return 1;
  llvm::Expected<Order> order = readOrder(line);
  if (!order) {
    answer(json::Object{{"error", llvm::toString(order.takeError())}});
    return 1;
  }
  limitToMemory();
  std::set_new_handler([] {
    answer(json::Object{{"error", "the kernel's inputs need more memory than "
                                  "there is"}});
    _exit(1);
  });
  constexpr uint64_t seed = 1;
  llvm::Expected<Problem> problem =
      Problem::make(order->family, order->spec, seed);
  if (!problem) {
    answer(json::Object{{"error", llvm::toString(problem.takeError())}});
    return 1;
  }
  Memory memory(*problem);
  std::set_new_handler(nullptr);
  int threads = int(order->threads);
  tool::PeakMeter peak(order->target, unsigned(threads));
  answer(json::Object{{"ready", true}});
  while (std::getline(std::cin, line)) {
    llvm::Expected<JsonObject> request = parseJson("request", line);
    if (!request) {
      answer(outcome("invalid", llvm::toString(request.takeError())));
      continue;
    }
    peak.measure();
    json::Object result = tryCandidate(*request, *problem, memory, threads);
    result["peak"] = peak.best();
    answer(std::move(result));
  }
  return 0;
}
