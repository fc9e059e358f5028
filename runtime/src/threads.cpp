// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/threads.h"

#include "futex.h"
#include "vitc/runtime/float_environment.h"

#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace vitc::rt {

/// A thread's share of a loop: the indices from `begin` to `end` that nobody
/// has taken yet, and the number of the loop. All in one word, so that a thread
/// takes indices with one compare-and-swap.
struct Share {
  uint32_t loop, begin, end;
  bool empty() const { return begin >= end; }
};

static constexpr int indexBits = 20;
static constexpr uint32_t indexMask = (uint32_t(1) << indexBits) - 1;

static uint64_t pack(const Share &share) {
  return uint64_t(share.loop) << (2 * indexBits) |
         uint64_t(share.begin) << indexBits | share.end;
}

static Share unpack(uint64_t word) {
  return {uint32_t(word >> (2 * indexBits)),
          uint32_t(word >> indexBits) & indexMask, uint32_t(word) & indexMask};
}

/// Apart from each other, as different threads write them.
struct alignas(64) ShareWord {
  std::atomic<uint64_t> word{0};
};

/// How the indices of a loop are handed out.
///
/// Every thread gets a run of neighbouring indices, since a kernel's task
/// fetches the weights of the next one while it computes. Who has done its own
/// takes the upper half of what another one has left.
///
/// A thread that takes an index has read `body`, `task` and `base` before; they
/// change only between loops, when all shares are empty, so a swap that
/// succeeds proves that they belong together. A worker that slept through a
/// whole loop therefore does no harm, and the caller never waits for a worker
/// that has taken nothing.
struct Threads {
  // Fixed after the start.
  int32_t workerCount = 0; ///< started threads, the caller not among them
  vitc_parallel_for lent = nullptr;
  void *lentUser = nullptr;
  pthread_t *workers = nullptr;
  ShareWord *shares = nullptr; ///< the caller's, then the workers'
  int32_t shareCount = 0;

  // Written by the caller of a loop. Atomic since a late worker may look at
  // them while the next loop is set up; what it saw is thrown away then.
  std::atomic<void (*)(void *, int32_t)> body{nullptr};
  std::atomic<void *> task{nullptr};
  std::atomic<int32_t> base{0};  ///< added to the indices in the shares
  std::atomic<bool> busy{false}; ///< a loop runs: further ones are nested
  std::atomic<bool> stop{false};
  std::atomic<int32_t> nextWorker{0}; ///< whose number a new worker takes

  // Apart from each other, as different threads write them.
  alignas(64) FutexWord unfinished{0}; ///< indices whose body has not returned
  std::atomic<bool> callerSleeps{false};
  alignas(64) FutexWord bell{0}; ///< rung for every loop; workers sleep on it
  std::atomic<int32_t> sleepers{0};
};

/// Longer than the gap between two kernels of a model, shorter than a time
/// slice: within a run nobody sleeps, between runs nobody burns a core.
static constexpr int64_t spinNanoseconds = 30'000;

/// On the workers' stacks besides what the bodies need: the thread library's
/// data, the program's thread-local variables, which glibc takes from there,
/// and a margin. It is address space; memory is only what is touched.
static constexpr size_t extraStackBytes = size_t(1024) * 1024;

/// Linux cannot number more (PID_MAX_LIMIT); a count beyond is a mistake, which
/// need not fill the memory with the threads' handles first.
static constexpr int32_t mostThreads = int32_t(1) << 22;

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

/// Lets thread `own` take one index. False if nobody has any left.
static bool runOne(Threads &threads, int32_t own) {
  uint64_t mine = threads.shares[own].word.load(std::memory_order_acquire);
  for (int32_t step = 0; step < threads.shareCount; ++step) {
    int32_t whose = (own + step) % threads.shareCount;
    std::atomic<uint64_t> &word = threads.shares[whose].word;
    uint64_t seen = word.load(std::memory_order_acquire);
    for (Share share = unpack(seen); !share.empty(); share = unpack(seen)) {
      // A new loop, whose caller has not filled this thread's share yet: what
      // would be put there would be lost.
      if (step > 0 && share.loop != unpack(mine).loop)
        break;
      auto *body = threads.body.load(std::memory_order_relaxed);
      void *task = threads.task.load(std::memory_order_relaxed);
      int32_t base = threads.base.load(std::memory_order_relaxed);
      // Of its own the first one, of another's share the upper half.
      uint32_t middle = share.begin + (share.end - share.begin) / 2;
      Share taken = share, left = share;
      if (step == 0)
        taken.end = left.begin = share.begin + 1;
      else
        taken.begin = left.end = middle;
      if (!word.compare_exchange_weak(seen, pack(left),
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        continue;
      // The rest becomes its own share, which is empty: until these indices are
      // done, no new loop fills it.
      int32_t index = int32_t(taken.begin++);
      if (!taken.empty())
        threads.shares[own].word.store(pack(taken), std::memory_order_release);
      body(task, base + index);
      // The order of these two and the reverse in waitForOthers: one of both
      // sides sees the other.
      if (threads.unfinished.fetch_sub(1) == 1 && threads.callerSleeps.load())
        futexWake(threads.unfinished, 1);
      return true;
    }
  }
  return false;
}

/// Takes indices and runs their bodies until none is left.
static void work(Threads &threads, int32_t own) {
  while (runOne(threads, own))
    ;
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
  // A new thread has the environment of the one that created the context.
  FloatGuard floats;
  const int32_t own = 1 + threads.nextWorker.fetch_add(1);
  auto called = [&] {
    uint64_t word = threads.shares[own].word.load(std::memory_order_relaxed);
    return !unpack(word).empty() ||
           threads.stop.load(std::memory_order_relaxed);
  };
  for (;;) {
    // Read before looking for work: a bell that rings after the look keeps the
    // wait below from sleeping.
    uint32_t bell = threads.bell.load();
    work(threads, own);
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
static bool startWorker(Threads &threads, size_t stackBytes) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Some C libraries want whole pages.
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  size_t whole = (stackBytes + extraStackBytes + page - 1) / page * page;
  bool started = pthread_attr_setstacksize(&attributes, whole) == 0 &&
                 pthread_create(&threads.workers[threads.workerCount],
                                &attributes, runWorker, &threads) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  threads.workerCount += started;
  return started;
}

vitc_status startThreads(int32_t count, vitc_parallel_for lent, void *lentUser,
                         size_t stackBytes, Threads **result) {
  *result = nullptr;
  if (count < 0)
    return VITC_ERROR_ARGUMENT;
  if (count == 0)
    count = availableCores();
  if (lent)
    count = 1;
  if (count > mostThreads)
    return VITC_ERROR_THREADS;

  // The shares and the workers' handles stand behind the struct, in the same
  // block.
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Threads),
                     sizeof(Threads) + (sizeof(ShareWord) + sizeof(pthread_t)) *
                                           size_t(count)) != 0)
    return VITC_ERROR_MEMORY;
  auto *threads = new (memory) Threads;
  threads->shares = reinterpret_cast<ShareWord *>(threads + 1);
  threads->shareCount = count;
  for (int32_t share = 0; share < count; ++share)
    new (threads->shares + share) ShareWord;
  threads->workers = reinterpret_cast<pthread_t *>(threads->shares + count);
  threads->lent = lent;
  threads->lentUser = lentUser;
  while (threads->workerCount < count - 1) {
    if (!startWorker(*threads, stackBytes)) {
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

/// A loop of no more indices than a share can name.
static void runOnPool(Threads &threads, int32_t base, int32_t count,
                      void (*body)(void *task, int32_t index), void *task) {
  threads.body.store(body, std::memory_order_relaxed);
  threads.task.store(task, std::memory_order_relaxed);
  threads.base.store(base, std::memory_order_relaxed);
  threads.unfinished.store(uint32_t(count), std::memory_order_relaxed);
  auto start = [&](int64_t share) {
    return uint32_t((count * share + threads.shareCount - 1) /
                    threads.shareCount);
  };
  for (int32_t share = 0; share < threads.shareCount; ++share) {
    std::atomic<uint64_t> &word = threads.shares[share].word;
    uint32_t loop = unpack(word.load(std::memory_order_relaxed)).loop + 1;
    word.store(pack({loop, start(share), start(share + 1)}),
               std::memory_order_release);
  }
  ringBell(threads,
           count - 1 < threads.workerCount ? count - 1 : threads.workerCount);
  work(threads, /*own=*/0);
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
    for (int32_t base = 0, most = int32_t(indexMask); base < count;) {
      int32_t slice = count - base < most ? count - base : most;
      runOnPool(*threads, base, slice, body, task);
      base += slice;
    }
  threads->busy.store(false, std::memory_order_relaxed);
}

} // namespace vitc::rt
