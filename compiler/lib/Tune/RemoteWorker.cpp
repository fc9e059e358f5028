// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A worker on its own, for sessions that run elsewhere.
#include "Scratch.h"
#include "Toolbox.h"

#include "vitc/Tune/Session.h"
#include "vitc/Tune/Worker.h"

#include <chrono>
#include <thread>

using namespace vitc;
using namespace vitc::tune;
using Clock = std::chrono::steady_clock;

llvm::Error
vitc::tune::runWorker(const Installation &installation, Store &store,
                      double leaseSeconds, double idleSeconds,
                      const std::function<void(unsigned)> &observer) {
  auto scratch = Scratch::make(installation.cacheFolder);
  if (!scratch)
    return scratch.takeError();
  // The trial says which backend.
  auto tools =
      makeTools(installation, CompileOptions(), "auto", scratch->path());
  if (!tools)
    return tools.takeError();
  Measurer measurer(std::move(*tools));
  Worker worker(store, measurer, leaseSeconds);
  unsigned done = 0;
  Clock::time_point lastWork = Clock::now();
  for (;;) {
    constexpr unsigned atOnce = 4;
    auto more = worker.step(/*session=*/0, atOnce, nullptr);
    if (!more)
      return more.takeError();
    if (*more > 0) {
      observer(done += *more);
      lastWork = Clock::now();
      continue;
    }
    if (idleSeconds > 0 &&
        std::chrono::duration<double>(Clock::now() - lastWork).count() >
            idleSeconds)
      return llvm::Error::success();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}
