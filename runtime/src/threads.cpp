#include "vitc/runtime/threads.h"

#include "futex.h"

#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

namespace vitc::rt {

/// How the indices of a loop are handed out.
///
/// `ticket` holds the number of the loop (upper half) and how many of its
/// indices nobody has taken yet (lower half). A thread takes an index by
/// lowering the ticket with compare-and-swap. It has read `body`, `task` and
/// `count` before; they change only between loops, and then the ticket has
/// changed too, so a swap that succeeds proves that they belong together. A
/// worker that slept through a whole loop therefore does no harm, and the
/// caller never waits for a worker that has taken nothing.
struct Threads {
  // Fixed after the start.
  int32_t workerCount = 0; ///< started threads, the caller not among them
  vitc_parallel_for lent = nullptr;
  void *lentUser = nullptr;
  pthread_t *workers = nullptr;

  // Written by the caller of a loop. Atomic since a late worker may look at
  // them while the next loop is set up; what it saw is thrown away then.
  std::atomic<void (*)(void *, int32_t)> body{nullptr};
  std::atomic<void *> task{nullptr};
  std::atomic<int32_t> count{0};
  std::atomic<bool> busy{false}; ///< a loop runs: further ones are nested
  std::atomic<bool> stop{false};

  // Apart from each other, as different threads write them.
  alignas(64) std::atomic<uint64_t> ticket{0};
  alignas(64) FutexWord unfinished{0}; ///< indices whose body has not returned
  std::atomic<bool> callerSleeps{false};
  alignas(64) FutexWord bell{0}; ///< rung for every loop; workers sleep on it
  std::atomic<int32_t> sleepers{0};
};

/// Longer than the gap between two kernels of a model, shorter than a time
/// slice: within a run nobody sleeps, between runs nobody burns a core.
static constexpr int64_t spinNanoseconds = 30'000;

/// Kernels keep up to 128 KiB of scratch on the stack, the caller's lent code
/// and libc want some too.
static constexpr size_t workerStackBytes = size_t(2) * 1024 * 1024;

static void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Spins until `ready` says so. False when it has not after the time above.
template <typename Ready>
static bool spinUntil(Ready ready) {
  constexpr int checksPerClockRead = 64;
  for (int64_t end = now() + spinNanoseconds;;) {
    for (int check = 0; check < checksPerClockRead; ++check) {
      if (ready())
        return true;
      relax();
    }
    if (now() >= end)
      return false;
  }
}

static uint32_t indicesLeft(uint64_t ticket) { return uint32_t(ticket); }

/// Takes indices and runs their bodies until none is left.
static void work(Threads &threads) {
  uint64_t ticket = threads.ticket.load(std::memory_order_acquire);
  while (indicesLeft(ticket) > 0) {
    auto *body = threads.body.load(std::memory_order_relaxed);
    void *task = threads.task.load(std::memory_order_relaxed);
    int32_t count = threads.count.load(std::memory_order_relaxed);
    if (!threads.ticket.compare_exchange_weak(ticket, ticket - 1,
                                              std::memory_order_acq_rel,
                                              std::memory_order_acquire))
      continue;
    body(task, count - int32_t(indicesLeft(ticket)));
    // The order of these two and the reverse in waitForOthers: one of both
    // sides sees the other.
    if (threads.unfinished.fetch_sub(1) == 1 && threads.callerSleeps.load())
      futexWake(threads.unfinished, 1);
    ticket = threads.ticket.load(std::memory_order_acquire);
  }
}

/// Waits for the bodies that workers are still in.
static void waitForOthers(Threads &threads) {
  auto finished = [&] {
    return threads.unfinished.load(std::memory_order_acquire) == 0;
  };
  if (spinUntil(finished))
    return;
  threads.callerSleeps.store(true);
  while (uint32_t left = threads.unfinished.load())
    futexWait(threads.unfinished, left);
  threads.callerSleeps.store(false);
}

/// Ends the sleep of up to `count` workers, or of none when all are awake.
static void ringBell(Threads &threads, int32_t count) {
  threads.bell.fetch_add(1);
  if (threads.sleepers.load() > 0)
    futexWake(threads.bell, count);
}

static void *runWorker(void *argument) {
  Threads &threads = *static_cast<Threads *>(argument);
  auto called = [&] {
    return indicesLeft(threads.ticket.load(std::memory_order_relaxed)) > 0 ||
           threads.stop.load(std::memory_order_relaxed);
  };
  for (;;) {
    // Read before looking for work: a bell that rings after the look keeps the
    // wait below from sleeping.
    uint32_t bell = threads.bell.load();
    work(threads);
    if (threads.stop.load(std::memory_order_acquire))
      return nullptr;
    if (spinUntil(called))
      continue;
    threads.sleepers.fetch_add(1);
    futexWait(threads.bell, bell);
    threads.sleepers.fetch_sub(1);
  }
}

/// The cores that this process may run on.
static int32_t availableCores() {
  // Room for 8192 cores; cpu_set_t ends at 1024.
  cpu_set_t sets[8192 / CPU_SETSIZE];
  if (sched_getaffinity(0, sizeof(sets), sets) != 0)
    return 1;
  int32_t cores = 0;
  for (const cpu_set_t &set : sets)
    cores += CPU_COUNT(&set);
  return cores > 0 ? cores : 1;
}

/// Starts one worker that leaves all signals to the threads of the product.
static bool startWorker(Threads &threads) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started =
      pthread_attr_setstacksize(&attributes, workerStackBytes) == 0 &&
      pthread_create(&threads.workers[threads.workerCount], &attributes,
                     runWorker, &threads) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  threads.workerCount += started;
  return started;
}

vitc_status startThreads(int32_t count, vitc_parallel_for lent, void *lentUser,
                         Threads **result) {
  *result = nullptr;
  if (count < 0)
    return VITC_ERROR_ARGUMENT;
  if (count == 0)
    count = availableCores();
  if (lent)
    count = 1;

  // The workers' handles stand behind the struct, in the same block.
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Threads),
                     sizeof(Threads) + sizeof(pthread_t) * size_t(count)) != 0)
    return VITC_ERROR_MEMORY;
  auto *threads = new (memory) Threads;
  threads->workers = reinterpret_cast<pthread_t *>(threads + 1);
  threads->lent = lent;
  threads->lentUser = lentUser;
  while (threads->workerCount < count - 1) {
    if (!startWorker(*threads)) {
      stopThreads(threads);
      return VITC_ERROR_THREADS;
    }
  }
  *result = threads;
  return VITC_OK;
}

void stopThreads(Threads *threads) {
  if (!threads)
    return;
  threads->stop.store(true, std::memory_order_release);
  ringBell(*threads, threads->workerCount);
  for (int32_t worker = 0; worker < threads->workerCount; ++worker)
    pthread_join(threads->workers[worker], nullptr);
  threads->~Threads();
  std::free(threads);
}

static void runOnPool(Threads &threads, int32_t count,
                      void (*body)(void *task, int32_t index), void *task) {
  threads.body.store(body, std::memory_order_relaxed);
  threads.task.store(task, std::memory_order_relaxed);
  threads.count.store(count, std::memory_order_relaxed);
  threads.unfinished.store(uint32_t(count), std::memory_order_relaxed);
  uint64_t loop = threads.ticket.load(std::memory_order_relaxed) >> 32;
  threads.ticket.store((loop + 1) << 32 | uint32_t(count),
                       std::memory_order_release);
  ringBell(threads,
           count - 1 < threads.workerCount ? count - 1 : threads.workerCount);
  work(threads);
  waitForOthers(threads);
}

int32_t threadCount(const Threads *threads) { return threads->workerCount + 1; }

void parallelFor(Threads *threads, int32_t count,
                 void (*body)(void *task, int32_t index), void *task) {
  // A context is used by one thread at a time, so a loop that starts while
  // another runs comes from inside a body of the other. No thread-local flag is
  // needed, which a library that is loaded late could not have without
  // allocating.
  bool serial = !threads || count <= 1 ||
                (!threads->lent && threads->workerCount == 0) ||
                threads->busy.load(std::memory_order_relaxed);
  if (serial) {
    for (int32_t index = 0; index < count; ++index)
      body(task, index);
    return;
  }
  threads->busy.store(true, std::memory_order_relaxed);
  if (threads->lent)
    threads->lent(threads->lentUser, count, body, task);
  else
    runOnPool(*threads, count, body, task);
  threads->busy.store(false, std::memory_order_relaxed);
}

} // namespace vitc::rt
