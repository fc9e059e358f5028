// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/threads.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace vitc::rt;

extern "C" int halide_do_par_for(void *context,
                                 int (*task)(void *context, int index,
                                             uint8_t *closure),
                                 int min, int size, uint8_t *closure);

namespace {

/// Counts how often each index was run.
struct Counts {
  explicit Counts(int32_t count)
      : size(count), values(new std::atomic<int>[size_t(count) + 1]()) {}

  static void body(void *task, int32_t index) {
    ++static_cast<Counts *>(task)->values[size_t(index)];
  }
  bool allOne() const {
    for (int32_t index = 0; index < size; ++index)
      if (values[size_t(index)] != 1)
        return false;
    return true;
  }

  int32_t size;
  std::unique_ptr<std::atomic<int>[]> values;
};

/// Starts threads and stops them at the end.
class Pool {
public:
  explicit Pool(int32_t count, vitc_parallel_for lent = nullptr,
                void *user = nullptr) {
    EXPECT_EQ(startThreads(count, lent, user, /*stackBytes=*/1024, &threads),
              VITC_OK);
  }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() { stopThreads(threads); }

  operator Threads *() const { return threads; }

private:
  Threads *threads = nullptr;
};

void expectEachOnce(Threads *threads, int32_t count) {
  Counts counts(count);
  parallelFor(threads, count, Counts::body, &counts);
  EXPECT_TRUE(counts.allOne()) << count;
}

} // namespace

TEST(Threads, EachIndexOnce) {
  for (int32_t threads : {0, 1, 2, 3, 4, 7, 16}) {
    Pool pool(threads);
    for (int32_t count : {0, 1, 2, 3, 5, 8, 15, 16, 17, 100, 1000, 20000})
      expectEachOnce(pool, count);
  }
  expectEachOnce(nullptr, 10);
}

TEST(Threads, ManyShortLoops) {
  // Workers are late for most of these; a late one must not touch a later loop.
  Pool pool(4);
  for (int32_t loop = 0; loop < 20000; ++loop)
    expectEachOnce(pool, 1 + loop % 7);
}

/// Who is done takes from others, also while the next loop begins.
TEST(Threads, UnevenLoops) {
  Pool pool(4);
  struct Uneven {
    Counts counts{24};
    static void body(void *task, int32_t index) {
      for (volatile int wait = 0; wait < index % 5 * 300;)
        wait = wait + 1;
      Counts::body(&static_cast<Uneven *>(task)->counts, index);
    }
  };
  for (int loop = 0; loop < 5000; ++loop) {
    Uneven uneven;
    parallelFor(pool, uneven.counts.size, Uneven::body, &uneven);
    ASSERT_TRUE(uneven.counts.allOne());
  }
}

TEST(Threads, MoreIndicesThanOneWordNames) {
  Pool pool(3);
  expectEachOnce(pool, (1 << 21) + 5);
}

TEST(Threads, LoopsAfterSleep) {
  Pool pool(3);
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    expectEachOnce(pool, 50);
  }
}

TEST(Threads, CallerSleepsUntilTheSlowestIsDone) {
  Pool pool(3);
  std::atomic<int> done{0};
  auto body = [](void *task, int32_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    ++*static_cast<std::atomic<int> *>(task);
  };
  for (int loop = 1; loop <= 10; ++loop) {
    parallelFor(pool, 3, body, &done);
    EXPECT_EQ(done, 3 * loop);
  }
}

TEST(Threads, WorkersTakePart) {
  // Each of three bodies waits for the other two, so three threads are needed.
  // A pool that is broken ends by the deadline and fails.
  Pool pool(3);
  std::atomic<int> arrived{0};
  auto body = [](void *task, int32_t) {
    auto &arrived = *static_cast<std::atomic<int> *>(task);
    ++arrived;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (arrived < 3 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    EXPECT_EQ(arrived, 3);
  };
  parallelFor(pool, 3, body, &arrived);
}

TEST(Threads, ResultsAreVisibleToTheCaller) {
  Pool pool(4);
  std::vector<int> values(997); // plain memory: the thread sanitizer watches
  struct Task {
    std::vector<int> &values;
    int add;
  };
  for (int loop = 1; loop <= 50; ++loop) {
    Task task{values, loop};
    parallelFor(
        pool, int32_t(values.size()),
        [](void *argument, int32_t index) {
          auto *task = static_cast<Task *>(argument);
          task->values[size_t(index)] += task->add;
        },
        &task);
  }
  for (int value : values)
    ASSERT_EQ(value, 50 * 51 / 2);
}

TEST(Threads, NestedLoopsRunOnTheirThread) {
  struct Task {
    Threads *threads;
    std::atomic<int> inner{0};
    std::atomic<bool> elsewhere{false};
  };
  struct Inner {
    Task *task;
    std::thread::id thread;
  };
  for (int32_t count : {1, 4}) {
    Pool pool(count);
    Task task{pool, {}, {}};
    parallelFor(
        pool, 20,
        [](void *argument, int32_t) {
          auto *task = static_cast<Task *>(argument);
          Inner inner{task, std::this_thread::get_id()};
          parallelFor(
              task->threads, 30,
              [](void *argument, int32_t) {
                auto *inner = static_cast<Inner *>(argument);
                ++inner->task->inner;
                if (inner->thread != std::this_thread::get_id())
                  inner->task->elsewhere = true;
              },
              &inner);
        },
        &task);
    EXPECT_EQ(task.inner, 20 * 30);
    EXPECT_FALSE(task.elsewhere);
    expectEachOnce(pool, 10);
  }
}

TEST(Threads, LentLoopIsUsed) {
  struct Lender {
    int calls = 0;
    int32_t indices = 0;
  } lender;
  auto lent = [](void *user, int32_t count,
                 void (*body)(void *task, int32_t index), void *task) {
    auto *lender = static_cast<Lender *>(user);
    ++lender->calls;
    lender->indices += count;
    std::thread other([=] {
      for (int32_t index = 0; index < count; index += 2)
        body(task, index);
    });
    for (int32_t index = 1; index < count; index += 2)
      body(task, index);
    other.join();
  };
  Pool pool(8, lent, &lender);
  expectEachOnce(pool, 101);
  EXPECT_EQ(lender.calls, 1);
  EXPECT_EQ(lender.indices, 101);

  // A nested loop does not go back to the lender.
  struct Task {
    Threads *threads;
    std::atomic<int> inner{0};
  } task{pool, {}};
  parallelFor(
      pool, 4,
      [](void *argument, int32_t) {
        auto *task = static_cast<Task *>(argument);
        parallelFor(
            task->threads, 5,
            [](void *argument, int32_t) {
              ++static_cast<Task *>(argument)->inner;
            },
            task);
      },
      &task);
  EXPECT_EQ(task.inner, 20);
  EXPECT_EQ(lender.calls, 2);
}

TEST(Threads, StartAndStopManyTimes) {
  for (int cycle = 0; cycle < 300; ++cycle) {
    Pool pool(1 + cycle % 5);
    if (cycle % 3)
      expectEachOnce(pool, cycle % 11);
  }
}

TEST(Threads, SeveralPoolsAtOnce) {
  std::vector<std::thread> users;
  for (int user = 0; user < 4; ++user)
    users.emplace_back([user] {
      Pool pool(1 + user);
      for (int32_t loop = 0; loop < 500; ++loop)
        expectEachOnce(pool, loop % 40);
    });
  for (std::thread &user : users)
    user.join();
}

TEST(Threads, NoMoreThreadsThanAskedFor) {
  struct Task {
    std::mutex mutex;
    std::set<std::thread::id> seen;
  } task;
  Pool pool(3);
  for (int loop = 0; loop < 50; ++loop)
    parallelFor(
        pool, 64,
        [](void *argument, int32_t) {
          auto *task = static_cast<Task *>(argument);
          std::lock_guard<std::mutex> lock(task->mutex);
          task->seen.insert(std::this_thread::get_id());
        },
        &task);
  EXPECT_GE(task.seen.size(), 1u);
  EXPECT_LE(task.seen.size(), 3u);
  EXPECT_EQ(task.seen.count(std::this_thread::get_id()), 1u);
}

TEST(Threads, RefusesNegativeCounts) {
  Threads *threads = nullptr;
  EXPECT_EQ(startThreads(-1, nullptr, nullptr, 0, &threads),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(threads, nullptr);
  stopThreads(nullptr);
}

TEST(Threads, HaveTheStackThatBodiesNeed) {
  constexpr size_t bytes = size_t(3) * 1024 * 1024;
  Threads *threads = nullptr;
  ASSERT_EQ(startThreads(3, nullptr, nullptr, bytes, &threads), VITC_OK);
  std::atomic<int> onWorkers{0};
  auto body = [](void *task, int32_t) {
    volatile char block[bytes];
    for (size_t i = 0; i < bytes; i += 4096)
      block[i] = 1;
    auto &onWorkers = *static_cast<std::atomic<int> *>(task);
    onWorkers += gettid() != getpid() && block[0] == 1;
  };
  while (onWorkers == 0)
    parallelFor(threads, 64, body, &onWorkers);
  stopThreads(threads);
}

/// Without asking for 150 GB first.
TEST(Threads, RefusesMoreThanThereCanBe) {
  Threads *threads = nullptr;
  EXPECT_EQ(startThreads(INT32_MAX, nullptr, nullptr, 0, &threads),
            VITC_ERROR_THREADS);
  EXPECT_EQ(threads, nullptr);
}

TEST(HalideDoParFor, RunsTheRangeWithContextAndClosure) {
  struct Closure {
    void *context;
    std::atomic<int> seen[10];
  };
  auto task = [](void *context, int index, uint8_t *bytes) {
    auto *closure = reinterpret_cast<Closure *>(bytes);
    EXPECT_EQ(context, closure->context);
    ++closure->seen[index - 5];
    return 0;
  };
  Pool pool(3);
  for (void *context :
       {static_cast<void *>(pool), static_cast<void *>(nullptr)}) {
    Closure closure{context, {}};
    EXPECT_EQ(halide_do_par_for(context, task, 5, 10,
                                reinterpret_cast<uint8_t *>(&closure)),
              0);
    for (std::atomic<int> &seen : closure.seen)
      EXPECT_EQ(seen, 1);
  }
}

TEST(HalideDoParFor, ReportsFailure) {
  auto task = [](void *, int index, uint8_t *) { return index == 7 ? -3 : 0; };
  Pool pool(3);
  EXPECT_EQ(
      halide_do_par_for(static_cast<Threads *>(pool), task, 0, 20, nullptr),
      -3);
  EXPECT_EQ(halide_do_par_for(nullptr, task, 0, 7, nullptr), 0);
}
