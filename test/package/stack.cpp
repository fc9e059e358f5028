// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls `subject` on stacks of exactly subject_STACK_BYTES, below which lies a
// page that nobody may touch, and prints how much was used. Usage: stack
// WEIGHTS [BYTES], the size of the stacks if it is to be another one.
#include "subject.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

static size_t stackBytes = subject_STACK_BYTES;
static std::atomic<size_t> mostUsed(0);

[[noreturn]] static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

/// Runs a function on a stack of its own, with the library's share below it.
class Fiber {
public:
  /// For the functions of this file that stand above the library's.
  static constexpr size_t ownBytes = 8192;

  Fiber() {
    size_t page = size_t(sysconf(_SC_PAGESIZE));
    mapped = page + (stackBytes + ownBytes + page - 1) / page * page;
    memory = static_cast<unsigned char *>(
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0)
      fail("no memory for a stack");
    bottom = memory + page;
    memset(bottom, paint, mapped - page);
  }
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;
  ~Fiber() { munmap(memory, mapped); }

  /// `body` goes on in withPromisedStack.
  void run(void (*body)(Fiber &fiber, void *argument), void *argument) {
    this->body = body;
    this->argument = argument;
    ucontext_t inside;
    if (getcontext(&inside) != 0)
      fail("no context");
    // The end is as exact as the begin: not at a page's border.
    inside.uc_stack.ss_sp = bottom;
    inside.uc_stack.ss_size = stackBytes + ownBytes;
    inside.uc_link = &outside;
    auto address = reinterpret_cast<uintptr_t>(this);
    makecontext(&inside, reinterpret_cast<void (*)()>(start), 2,
                unsigned(address), unsigned(uint64_t(address) >> 32));
    swapcontext(&outside, &inside);
    size_t untouched = 0;
    while (untouched < stackBytes && bottom[untouched] == paint)
      ++untouched;
    if (top) {
      size_t used = size_t(top - (bottom + untouched)), before = mostUsed;
      while (used > before && !mostUsed.compare_exchange_weak(before, used))
        ;
    }
  }

  /// How much more than the promised stack is below `here`.
  size_t spareBelow(const unsigned char *here) const {
    if (here < bottom + stackBytes)
      fail("this program uses more stack than it should");
    return size_t(here - (bottom + stackBytes));
  }
  /// From here on, what is used is the library's.
  void enterLibrary(unsigned char *here) { top = here; }

private:
  static constexpr unsigned char paint = 0xa5;

  static void start(unsigned low, unsigned high) {
    auto *fiber =
        reinterpret_cast<Fiber *>(uintptr_t(uint64_t(high) << 32 | low));
    fiber->body(*fiber, fiber->argument);
  }

  unsigned char *memory, *bottom, *top = nullptr;
  size_t mapped;
  ucontext_t outside;
  void (*body)(Fiber &, void *) = nullptr;
  void *argument = nullptr;
};

/// Calls `call` with the promised stack left, and no more but for two frames of
/// this file.
template <typename Call>
__attribute__((noinline)) static void withPromisedStack(Fiber &fiber,
                                                        const Call &call) {
  constexpr size_t frames = 256;
  size_t spare = fiber.spareBelow(
      static_cast<unsigned char *>(__builtin_frame_address(0)));
  auto *waste = static_cast<unsigned char *>(
      __builtin_alloca(spare > frames ? spare - frames : 1));
  fiber.enterLibrary(waste);
  call();
}

static float
    pixels[subject_BATCH * subject_CHANNELS * subject_HEIGHT * subject_WIDTH];
static float expected[subject_LOGITS_ELEMENTS];
static std::vector<uint8_t> imageBytes;

//===----------------------------------------------------------------------===//
// A pool whose threads run their tasks on small stacks
//===----------------------------------------------------------------------===//

struct Loop {
  int32_t count;
  void (*body)(void *, int32_t);
  void *task;
  std::atomic<int32_t> next{0};
};

static void *runTasks(void *argument) {
  Fiber fiber;
  fiber.run(
      [](Fiber &fiber, void *argument) {
        auto &loop = *static_cast<Loop *>(argument);
        withPromisedStack(fiber, [&] {
          for (int32_t i; (i = loop.next++) < loop.count;)
            loop.body(loop.task, i);
        });
      },
      argument);
  return nullptr;
}

static pthread_t poolThreads[2];
static Loop *current;
static pthread_barrier_t begin, end;
static bool over;

static void *serve(void *) {
  for (;;) {
    pthread_barrier_wait(&begin);
    if (over)
      return nullptr;
    runTasks(current);
    pthread_barrier_wait(&end);
  }
}

/// All tasks go to the pool: the caller only waits.
static void lend(void *, int32_t count, void (*body)(void *, int32_t),
                 void *task) {
  Loop loop{count, body, task};
  current = &loop;
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&end);
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

struct Job {
  const char *weights;
  subject_options options;
};

static void useLibrary(const Job &job) {
  static float logits[subject_LOGITS_ELEMENTS];
  subject_context *context;
  if (subject_create(job.weights, &job.options, &context) != subject_OK)
    fail("create fails");
  for (int i = 0; i < 2; ++i) {
    if (subject_run_tensor(context, pixels, subject_BATCH, logits) !=
        subject_OK)
      fail("a run fails");
    if (memcmp(logits, expected, sizeof logits))
      fail("a small stack gives other bits");
  }
  static subject_image images[subject_BATCH];
  for (subject_image &image : images)
    image = {imageBytes.data(),  640,     481,
             subject_PIXELS_RGB, 640 * 3, {0, 0, 0, 0}};
  subject_status status = subject_run(context, images, subject_BATCH, logits);
  if (status != subject_OK && status != subject_ERROR_IMAGE_SIZE &&
      subject_CHANNELS == 3)
    fail("a run on an image fails");
  subject_destroy(context);
}

static void *onThread(void *argument) {
  Fiber fiber;
  fiber.run(
      [](Fiber &fiber, void *argument) {
        const Job &job = *static_cast<const Job *>(argument);
        withPromisedStack(fiber, [&] { useLibrary(job); });
      },
      argument);
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return 2;
  for (size_t i = 0; i < sizeof pixels / sizeof *pixels; ++i)
    pixels[i] = float(i % 17) / 8 - 1;
  for (size_t i = 0; i < 640 * 481 * 3; ++i)
    imageBytes.push_back(uint8_t(i * 7919 >> 5));
  {
    subject_net net(argv[1]);
    if (net.runTensor(pixels, subject_BATCH, expected) != subject_OK)
      fail("a plain run fails");
  }
  if (argc == 3)
    stackBytes = size_t(atol(argv[2]));

  pthread_barrier_init(&begin, nullptr, 3);
  pthread_barrier_init(&end, nullptr, 3);
  for (pthread_t &thread : poolThreads)
    if (pthread_create(&thread, nullptr, serve, nullptr) != 0)
      fail("no thread");
  for (int32_t threads : {1, 2, 3, -1}) {
    Job job = {argv[1], {}};
    if (threads > 0)
      job.options.threads = threads;
    else
      job.options.parallel_for = lend;
    pthread_t thread;
    if (pthread_create(&thread, nullptr, onThread, &job) != 0)
      fail("no thread");
    pthread_join(thread, nullptr);
  }
  over = true;
  pthread_barrier_wait(&begin);
  for (pthread_t thread : poolThreads)
    pthread_join(thread, nullptr);
  printf("%zu of %zu\n", mostUsed.load(), stackBytes);
  return mostUsed > stackBytes;
}
