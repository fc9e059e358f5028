// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that products may do to a library, right or wrong, on several
// threads at a time; built with sanitizers. Usage: strain WEIGHTS ROUNDS
#include "fashion.h"

#include <atomic>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

static std::atomic<int> failures(0);

static void expect(bool condition, const char *what) {
  if (!condition && failures++ < 20)
    fprintf(stderr, "%s\n", what);
}

static constexpr size_t floats =
    fashion_CHANNELS * fashion_HEIGHT * fashion_WIDTH;
static float tensor[floats];
static uint8_t pixels[fashion_HEIGHT * fashion_WIDTH * 4];

struct Logits {
  float values[fashion_LOGITS_ELEMENTS];

  bool operator==(const Logits &other) const {
    return !memcmp(values, other.values, sizeof values);
  }
};
static Logits ofTensor, ofImage;

static fashion_image goodImage() {
  return {pixels,        fashion_WIDTH, fashion_HEIGHT, fashion_PIXELS_GREY,
          fashion_WIDTH, {0, 0, 0, 0}};
}

/// A pool as bad as it may be: new threads for every loop.
static void lend(void *, int32_t count, void (*body)(void *, int32_t),
                 void *task) {
  std::atomic<int32_t> next(0);
  auto work = [&] {
    for (int32_t i; (i = next++) < count;)
      body(task, i);
  };
  std::thread other(work);
  work();
  other.join();
}

//===----------------------------------------------------------------------===//
// Right
//===----------------------------------------------------------------------===//

static void checkRuns(fashion_net &net, int runs) {
  Logits logits;
  fashion_image image = goodImage();
  for (int run = 0; run < runs; ++run) {
    expect(net.runTensor(tensor, 1, logits.values) == fashion_OK &&
               logits == ofTensor,
           "a run on the tensor gives something else");
    expect(net.run(image, logits.values) == fashion_OK && logits == ofImage,
           "a run on the image gives something else");
  }
}

/// What one run leaves behind does not show in the next.
static void checkWildNumbers(fashion_net &net) {
  std::vector<float> wild(floats);
  const float values[] = {NAN, INFINITY, -INFINITY, 1e-45f, 3e38f, -0.0f};
  for (size_t i = 0; i < floats; ++i)
    wild[i] = values[i % 6];
  Logits logits;
  expect(net.runTensor(wild.data(), 1, logits.values) == fashion_OK,
         "NaN is refused");
  checkRuns(net, 1);
}

static void checkMoves(const char *weights, const fashion_options &options) {
  fashion_net one(weights, &options), other(weights, &options);
  fashion_net third(std::move(one));
  Logits logits;
  expect(one.status() == fashion_ERROR_ARGUMENT &&
             one.runTensor(tensor, 1, logits.values) == fashion_ERROR_ARGUMENT,
         "one that was moved from can be used");
  checkRuns(third, 1);
  other = std::move(third);
  checkRuns(other, 1);
  one = std::move(other);
  fashion_net &same = one;
  one = std::move(same);
  checkRuns(one, 1);
  expect(third.status() == fashion_ERROR_ARGUMENT &&
             other.status() == fashion_ERROR_ARGUMENT,
         "one that was assigned from can be used");
}

//===----------------------------------------------------------------------===//
// Wrong
//===----------------------------------------------------------------------===//

static void checkWrongImages(fashion_net &net) {
  Logits logits;
  auto refuses = [&](const char *what, fashion_status status,
                     void (*spoil)(fashion_image &image)) {
    fashion_image image = goodImage();
    spoil(image);
    expect(net.run(image, logits.values) == status, what);
  };
  auto refusesArgument = [&](const char *what, void (*spoil)(fashion_image &)) {
    refuses(what, fashion_ERROR_ARGUMENT, spoil);
  };
  refusesArgument("no pixels", [](auto &image) { image.pixels = nullptr; });
  refusesArgument("width 0", [](auto &image) { image.width = 0; });
  refusesArgument("width -1", [](auto &image) { image.width = -1; });
  refusesArgument("width min", [](auto &image) { image.width = INT_MIN; });
  refusesArgument("width max", [](auto &image) { image.width = INT_MAX; });
  refusesArgument("height 0", [](auto &image) { image.height = 0; });
  refusesArgument("height min", [](auto &image) { image.height = INT_MIN; });
  refusesArgument("format -1", [](auto &image) { image.format = -1; });
  refusesArgument("format 6", [](auto &image) { image.format = 6; });
  refusesArgument("format max", [](auto &image) { image.format = INT_MAX; });
  refusesArgument("format of wider rows",
                  [](auto &image) { image.format = fashion_PIXELS_RGBA; });
  refusesArgument("crop outside", [](auto &image) {
    image.crop = {1, 0, fashion_WIDTH, fashion_HEIGHT};
  });
  refusesArgument("crop max", [](auto &image) {
    image.crop = {INT_MAX, INT_MAX, INT_MAX, INT_MAX};
  });
  refusesArgument("crop min", [](auto &image) {
    image.crop = {INT_MIN, INT_MIN, INT_MIN, INT_MIN};
  });
  refusesArgument("empty crop", [](auto &image) { image.crop.x = 1; });
  refuses("crop of another size", fashion_ERROR_IMAGE_SIZE, [](auto &image) {
    image.crop = {1, 1, fashion_WIDTH - 1, fashion_HEIGHT - 1};
  });
  refusesArgument("stride 0", [](auto &image) { image.stride = 0; });
  refusesArgument("short stride",
                  [](auto &image) { image.stride = -(fashion_WIDTH - 1); });
  refusesArgument("stride min",
                  [](auto &image) { image.stride = PTRDIFF_MIN; });
  refusesArgument("stride max",
                  [](auto &image) { image.stride = PTRDIFF_MAX; });
  refuses("another size", fashion_ERROR_IMAGE_SIZE,
          [](auto &image) { image.width = fashion_WIDTH - 1; });
  refuses("one row", fashion_ERROR_IMAGE_SIZE, [](auto &image) {
    image.height = 1;
    image.stride = PTRDIFF_MIN;
  });
  // Bottom up is right.
  fashion_image image = goodImage();
  image.pixels += (fashion_HEIGHT - 1) * fashion_WIDTH;
  image.stride = -fashion_WIDTH;
  expect(net.run(image, logits.values) == fashion_OK, "bottom up is refused");
}

static void checkWrongArguments(const char *weights, fashion_net &net) {
  Logits logits;
  fashion_image image = goodImage();
  expect(net.run(nullptr, 1, logits.values) == fashion_ERROR_ARGUMENT &&
             net.run(image, nullptr) == fashion_ERROR_ARGUMENT &&
             net.runTensor(nullptr, 1, logits.values) ==
                 fashion_ERROR_ARGUMENT &&
             net.runTensor(tensor, 1, nullptr) == fashion_ERROR_ARGUMENT,
         "a null pointer is not refused");
  for (int32_t count : {0, -1, fashion_BATCH + 1, INT_MIN, INT_MAX})
    expect(net.run(&image, count, logits.values) == fashion_ERROR_ARGUMENT &&
               net.runTensor(tensor, count, logits.values) ==
                   fashion_ERROR_ARGUMENT,
           "a wrong number of images is not refused");
  expect(!strcmp(fashion_label(fashion_LABELS - 1), "Ankle boot") &&
             !fashion_label(fashion_LABELS) && !fashion_label(-1) &&
             !fashion_label(INT_MIN) && !fashion_label(INT_MAX),
         "a wrong label");
  std::vector<float> both(floats);
  expect(net.runTensor(both.data(), 1, both.data()) == fashion_ERROR_ARGUMENT &&
             net.runTensor(both.data(), 1,
                           both.data() + floats - fashion_LOGITS_ELEMENTS) ==
                 fashion_ERROR_ARGUMENT,
         "an output on the input is not refused");
  fashion_destroy(nullptr);
  auto creates = [&](fashion_options options) {
    return fashion_net(weights, &options).status();
  };
  fashion_options options = {};
  options.threads = -1;
  expect(creates(options) == fashion_ERROR_ARGUMENT, "-1 threads");
  options.threads = INT_MAX;
  expect(creates(options) == fashion_ERROR_THREADS, "2^31 - 1 threads");
  options.threads = 1;
  options.workspace = tensor;
  options.workspace_bytes = sizeof tensor;
  expect(creates(options) == fashion_ERROR_WORKSPACE, "a small workspace");
  expect(fashion_net(nullptr).status() == fashion_ERROR_ARGUMENT &&
             fashion_net("/").status() == fashion_ERROR_WEIGHTS_OPEN &&
             fashion_net("/dev/null").status() == fashion_ERROR_WEIGHTS_OPEN,
         "wrong weights");
  expect(fashion_create(weights, nullptr, nullptr) == fashion_ERROR_ARGUMENT,
         "nowhere to put the context");
  expect(strlen(fashion_status_text(fashion_status(99))) > 0, "no text");
}

/// One of several that do the same at the same time.
static void strain(const char *weights, int rounds, int seed) {
  void *workspace = aligned_alloc(64, (fashion_WORKSPACE_BYTES + 63) / 64 * 64);
  for (int round = 0; round < rounds; ++round) {
    fashion_options options = {};
    options.threads = 1 + (round + seed) % 4;
    if ((round + seed) % 5 == 4)
      options.parallel_for = lend;
    if (round % 3 == 1) {
      options.workspace = workspace;
      options.workspace_bytes = fashion_WORKSPACE_BYTES;
    }
    {
      fashion_net net(weights, &options);
      expect(net.status() == fashion_OK, "a context cannot be created");
      checkRuns(net, 3);
      checkWildNumbers(net);
      checkWrongImages(net);
      checkWrongArguments(weights, net);
      checkRuns(net, 1);
    }
    options.workspace = nullptr;
    checkMoves(weights, options);
  }
  free(workspace);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  for (size_t i = 0; i < sizeof pixels; ++i)
    pixels[i] = uint8_t(i * 37);
  for (size_t i = 0; i < floats; ++i)
    tensor[i] = float(i % 17) / 8 - 1;
  {
    fashion_net net(argv[1]);
    fashion_image image = goodImage();
    if (net.runTensor(tensor, 1, ofTensor.values) != fashion_OK ||
        net.run(image, ofImage.values) != fashion_OK)
      return fprintf(stderr, "a plain run fails\n"), 1;
  } // the last context takes the weights with it; threads map them anew
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back(strain, argv[1], atoi(argv[2]), seed);
  for (std::thread &thread : threads)
    thread.join();
  if (!failures)
    puts("ok");
  return failures != 0;
}
