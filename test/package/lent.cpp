// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product lends its workspace and its threads; the results have the same
// bits as with the library's own. Usage: lent WEIGHTS
#include "fashion.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

static int failures = 0;

static void expect(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    ++failures;
  }
}

static float pixels[fashion_CHANNELS * fashion_HEIGHT * fashion_WIDTH];
static float expected[fashion_LOGITS_ELEMENTS];

/// On the calling thread, last index first.
static void backwards(void *user, int32_t count, void (*body)(void *, int32_t),
                      void *task) {
  ++*static_cast<std::atomic<int> *>(user);
  for (int32_t i = count; i-- > 0;)
    body(task, i);
}

/// Four new threads for each loop: slow, but as foreign as it gets.
static void scattered(void *user, int32_t count, void (*body)(void *, int32_t),
                      void *task) {
  ++*static_cast<std::atomic<int> *>(user);
  std::atomic<int32_t> next(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int32_t i; (i = next++) < count;)
        body(task, i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

static void checkLoop(const char *weights, fashion_parallel_for loop,
                      int32_t threads, const char *name) {
  std::atomic<int> calls(0);
  fashion_options options = {};
  options.threads = threads;
  options.parallel_for = loop;
  options.parallel_user = &calls;
  fashion_net net(weights, &options);
  float logits[fashion_LOGITS_ELEMENTS];
  expect(net.status() == fashion_OK &&
             net.runTensor(pixels, 1, logits) == fashion_OK,
         name);
  expect(!memcmp(logits, expected, sizeof logits),
         "a lent loop gives other bits");
  expect(calls > 0, "the lent loop is not called");
}

static void checkWorkspace(const char *weights) {
  constexpr size_t guard = 4096;
  auto *block = static_cast<unsigned char *>(
      aligned_alloc(64, (fashion_WORKSPACE_BYTES + 2 * guard + 63) / 64 * 64));
  unsigned char *workspace = block + guard;
  // 0xff is NaN wherever it is read as a float: nothing may depend on what the
  // workspace held.
  memset(block, 0xff, fashion_WORKSPACE_BYTES + 2 * guard);
  fashion_options options = {};
  options.workspace = workspace;
  options.workspace_bytes = fashion_WORKSPACE_BYTES;
  float logits[fashion_LOGITS_ELEMENTS];
  {
    fashion_net net(weights, &options);
    fashion_net moved(std::move(net));
    expect(moved.status() == fashion_OK, "a lent workspace is refused");
    for (int run = 0; run < 2; ++run) {
      expect(moved.runTensor(pixels, 1, logits) == fashion_OK,
             "a run with a lent workspace fails");
      expect(!memcmp(logits, expected, sizeof logits),
             "a lent workspace gives other bits");
    }
  }
  for (size_t i = 0; i < guard; ++i)
    if (block[i] != 0xff || workspace[fashion_WORKSPACE_BYTES + i] != 0xff) {
      expect(false, "something is written outside the workspace");
      break;
    }
  free(block);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (size_t i = 0; i < sizeof pixels / sizeof *pixels; ++i)
    pixels[i] = float(i % 17) / 8 - 1;
  fashion_net net(argv[1]);
  expect(net.status() == fashion_OK &&
             net.runTensor(pixels, 1, expected) == fashion_OK,
         "a plain run fails");
  checkLoop(argv[1], backwards, 0, "a loop on one thread");
  checkLoop(argv[1], scattered, 0, "a loop on four threads");
  checkLoop(argv[1], scattered, 3, "a loop on four threads, asked for three");
  checkWorkspace(argv[1]);
  if (!failures)
    puts("ok");
  return failures != 0;
}
