// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The engine around a model that copies its pixels, adds a weight and reports
/// two steps.
#include "vitc/runtime/engine.h"

#include "TestModel.h"
#include "vitc/runtime/threads.h"

#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <set>
#include <string>

using namespace vitc::rt;

namespace {

void forward(const Invocation &run) {
  float *copy = buffer<float>(run, bufferOffset);
  for (int64_t index = 0; index < imageFloats; ++index)
    copy[index] = run.pixels[index];
  done(run, 0);

  struct Task {
    const Invocation &run;
    const float *copy;
  } task{run, copy};
  parallelFor(
      static_cast<Threads *>(run.threads), channels,
      [](void *argument, int32_t channel) {
        auto *task = static_cast<Task *>(argument);
        for (int64_t index = 0; index < height * width; ++index) {
          int64_t at = channel * height * width + index;
          *output<float>(task->run, 0, uint64_t(at) * sizeof(float)) =
              task->copy[at] + *weight<float>(task->run, 0);
        }
      },
      &task);
  *output<float>(run, 1, 0) = copy[0];
  done(run, 1);
}

/// What two images do together: each one's `first` becomes the sum of both,
/// which the workspaces still hold. One that is missing counts as nothing.
void finish(const Invocation &run) {
  EXPECT_EQ(run.image % 2, 0);
  float sum = 0;
  for (int32_t i = 0; i < run.images; ++i)
    sum += *buffer<float>(run, bufferOffset + i * imageWorkspaceBytes);
  *buffer<float>(run, 0) = sum;
  done(run, 2);
  eachImage(run, [](const Invocation &own) {
    EXPECT_EQ(own.images, 1);
    const float *sum =
        buffer<float>(own, 0) - own.image % 2 * (imageWorkspaceBytes / 4);
    *output<float>(own, 1, 0) = *sum;
    done(own, 3);
  });
}

const Variant variantTable[] = {
    {"low", cpu::Baseline, forward, nullptr},
    {"high", cpu::Baseline, forward, nullptr},
    {"absent", CpuFeatures(1) << 63, forward, nullptr}};

std::vector<float> ramp() {
  std::vector<float> pixels;
  for (int64_t index = 0; index < allFloats; ++index)
    pixels.push_back(float(index) + 3);
  return pixels;
}

const Model model = makeModel(variantTable);

/// A context that is destroyed at the end.
class Running : public TestContext {
public:
  explicit Running(const vitc_options_v2 *options = nullptr,
                   const Model &model = ::model)
      : TestContext(model, options) {}
};

} // namespace

TEST(Engine, RunsTensors) {
  std::vector<float> pixels = ramp();
  for (int32_t threads : {0, 1, 3}) {
    vitc_options_v2 options = withThreads(threads);
    Running context(&options);
    Outputs outputs;
    ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
              VITC_OK);
    for (size_t index = 0; index < pixels.size(); ++index)
      ASSERT_EQ(outputs.sum[index], pixels[index] + 0.5f);
    for (int64_t image = 0; image < batch; ++image)
      EXPECT_EQ(outputs.first[image], float(3 + image * imageFloats));
  }
}

TEST(Engine, RunsImagesOfAnySize) {
  Running context;
  TestImage first = makeImage(17, 9, 3, 0), second = makeImage(4, 40, 1, 0);
  vitc_image_v2 images[] = {first.image(), second.image(), second.image(),
                            first.image()};

  std::vector<float> expected;
  for (const vitc_image_v2 &image : images) {
    std::vector<float> one;
    ASSERT_EQ(preprocessTo(model.preprocessing, image, one), VITC_OK);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  std::vector<float> pixels(allFloats);
  ASSERT_EQ(preprocess(context, images, batch, pixels.data()), VITC_OK);
  EXPECT_EQ(pixels, expected);

  Outputs outputs;
  ASSERT_EQ(run(context, images, batch, outputs.pointers), VITC_OK);
  for (size_t index = 0; index < pixels.size(); ++index)
    ASSERT_EQ(outputs.sum[index], pixels[index] + 0.5f);
}

TEST(Engine, StopsAtAnImageThatDoesNotFit) {
  Running context;
  TestImage good = makeImage(17, 9, 3, 0), bad = makeImage(17, 9, 2, 0);
  vitc_image_v2 images[] = {good.image(), bad.image(), good.image(),
                            good.image()};
  Outputs outputs;
  EXPECT_EQ(run(context, images, batch, outputs.pointers), VITC_ERROR_ARGUMENT);
  EXPECT_EQ(outputs.sum[0], -1.0f);
  std::vector<float> pixels(allFloats);
  EXPECT_EQ(preprocess(context, images, batch, pixels.data()),
            VITC_ERROR_ARGUMENT);
}

TEST(Engine, UsesALentWorkspace) {
  TestScratch memory(workspaceBytes + 64);
  vitc_options_v2 options{};
  options.workspace = memory.get();
  options.workspace_bytes = workspaceBytes;
  std::vector<float> pixels = ramp();
  {
    Running context(&options);
    Outputs outputs;
    ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
              VITC_OK);
    EXPECT_EQ(outputs.sum[7], pixels[7] + 0.5f);
  }
  // The model's buffers are in the caller's memory, which is still there.
  for (int image = 0; image < batch; ++image)
    EXPECT_EQ(std::memcmp(static_cast<char *>(memory.get()) +
                              image * imageWorkspaceBytes + bufferOffset,
                          pixels.data() + image * imageFloats,
                          imageFloats * sizeof(float)),
              0);
}

TEST(Engine, RefusesAWorkspaceTooSmallOrMisaligned) {
  TestScratch memory(workspaceBytes + 64);
  void *context = &memory;
  vitc_options_v2 options{};
  options.workspace = memory.get();
  options.workspace_bytes = workspaceBytes - 1;
  EXPECT_EQ(create(model, nullptr, &options, &context), VITC_ERROR_WORKSPACE);
  EXPECT_EQ(context, nullptr);
  options.workspace_bytes = workspaceBytes + 32;
  options.workspace = static_cast<char *>(memory.get()) + 32;
  EXPECT_EQ(create(model, nullptr, &options, &context), VITC_ERROR_WORKSPACE);
}

TEST(Engine, ObserverSeesEveryStepAndTheWorkspace) {
  struct Seen {
    std::vector<int32_t> steps;
    float value = 0;
  } seen;
  auto observer = [](void *user, int32_t step, const void *workspace) {
    auto *seen = static_cast<Seen *>(user);
    seen->steps.push_back(step);
    std::memcpy(&seen->value, workspace, sizeof(float));
  };
  Running context;
  std::vector<float> pixels = ramp();
  Outputs outputs;
  observe(context, observer, &seen);
  ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
            VITC_OK);
  EXPECT_EQ(seen.steps, (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(seen.value, 3.0f + 3 * imageFloats);
  observe(context, nullptr, nullptr);
  ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
            VITC_OK);
  EXPECT_EQ(seen.steps.size(), 8u);
}

TEST(Engine, FinishesTwoImagesAtATimeAfterAll) {
  const Variant variants[] = {{"joined", cpu::Baseline, forward, finish}};
  Model joined = makeModel(variants);
  std::vector<float> pixels = ramp();
  for (int32_t threads : {1, 2, 3}) {
    vitc_options_v2 options = withThreads(threads);
    Running context(&options, joined);
    Outputs outputs;
    ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
              VITC_OK);
    constexpr float two = 3 + 3 + imageFloats, next = 4 * imageFloats;
    EXPECT_EQ(outputs.first,
              (std::vector<float>{two, two, two + next, two + next}));
    std::vector<int32_t> steps;
    auto observer = [](void *user, int32_t step, const void *) {
      static_cast<std::vector<int32_t> *>(user)->push_back(step);
    };
    observe(context, observer, &steps);
    outputs = Outputs();
    ASSERT_EQ(runTensor(context, pixels.data(), 3, outputs.pointers), VITC_OK);
    EXPECT_EQ(steps, (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 2, 3, 3, 2, 3}));
    EXPECT_EQ(outputs.first,
              (std::vector<float>{two, two, 3 + 2 * imageFloats, -1}));
  }
}

TEST(Engine, RunsFewerImagesThanTheBatch) {
  std::vector<float> pixels = ramp();
  TestImage testImage = makeImage(17, 9, 3, 0), other = makeImage(30, 20, 1, 0);
  vitc_image_v2 images[] = {testImage.image(), other.image(), other.image(),
                            testImage.image()};
  for (int32_t threads : {1, 2, 3, 5}) {
    vitc_options_v2 options = withThreads(threads);
    Running context(&options);
    Outputs ofTensor, ofImages;
    std::vector<float> made(allFloats);
    ASSERT_EQ(runTensor(context, pixels.data(), batch, ofTensor.pointers),
              VITC_OK);
    ASSERT_EQ(run(context, images, batch, ofImages.pointers), VITC_OK);
    ASSERT_EQ(preprocess(context, images, batch, made.data()), VITC_OK);
    for (int32_t count = 1; count <= batch; ++count) {
      // Memory of just the images that are given: a sanitizer sees more.
      size_t floats = size_t(count * imageFloats);
      std::vector<float> few(pixels.begin(), pixels.begin() + long(floats));
      std::vector<vitc_image_v2> some(images, images + count);
      std::vector<float> sum(floats), first(static_cast<size_t>(count)),
          result(floats);
      void *outputs[] = {sum.data(), first.data()};
      auto expect = [&](const Outputs &want) {
        EXPECT_TRUE(std::equal(sum.begin(), sum.end(), want.sum.begin()));
        EXPECT_TRUE(std::equal(first.begin(), first.end(), want.first.begin()));
      };
      ASSERT_EQ(runTensor(context, few.data(), count, outputs), VITC_OK);
      expect(ofTensor);
      ASSERT_EQ(run(context, some.data(), count, outputs), VITC_OK);
      expect(ofImages);
      ASSERT_EQ(preprocess(context, some.data(), count, result.data()),
                VITC_OK);
      EXPECT_TRUE(std::equal(result.begin(), result.end(), made.begin()));
    }
  }
}

TEST(Engine, RefusesOtherNumbersOfImages) {
  Running context;
  Outputs outputs;
  std::vector<float> pixels = ramp();
  TestImage testImage = makeImage(30, 20, 3, 0);
  vitc_image_v2 images[] = {testImage.image(), testImage.image(),
                            testImage.image(), testImage.image()};
  for (int32_t count : {0, -1, batch + 1, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(run(context, images, count, outputs.pointers),
              VITC_ERROR_ARGUMENT);
    EXPECT_EQ(runTensor(context, pixels.data(), count, outputs.pointers),
              VITC_ERROR_ARGUMENT);
    EXPECT_EQ(preprocess(context, images, count, pixels.data()),
              VITC_ERROR_ARGUMENT);
  }
  EXPECT_EQ(outputs.sum[0], -1.0f);
}

TEST(Engine, UsesALentLoop) {
  int calls = 0;
  vitc_options_v2 options{};
  options.parallel_user = &calls;
  options.parallel_for = [](void *user, int32_t count,
                            void (*body)(void *task, int32_t index),
                            void *task) {
    ++*static_cast<int *>(user);
    for (int32_t index = 0; index < count; ++index)
      body(task, index);
  };
  Running context(&options);
  std::vector<float> pixels = ramp();
  Outputs outputs;
  ASSERT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
            VITC_OK);
  EXPECT_EQ(calls, batch); // one loop in each image's forward function
  EXPECT_EQ(outputs.sum.back(), pixels.back() + 0.5f);
}

TEST(Engine, ContextsAreIndependent) {
  vitc_options_v2 options = withThreads(2);
  Running first(&options), second(&options);
  std::vector<float> pixels = ramp(), zeros(allFloats);
  Outputs a, b;
  ASSERT_EQ(runTensor(first, pixels.data(), batch, a.pointers), VITC_OK);
  ASSERT_EQ(runTensor(second, zeros.data(), batch, b.pointers), VITC_OK);
  EXPECT_EQ(a.sum[1], pixels[1] + 0.5f);
  EXPECT_EQ(b.sum[1], 0.5f);
}

TEST(Engine, RunningLeavesTheHeapAlone) {
  Running context;
  TestImage testImage = makeImage(30, 20, 3, 0);
  vitc_image_v2 images[] = {testImage.image(), testImage.image(),
                            testImage.image(), testImage.image()};
  Outputs outputs;
  size_t before = mallinfo2().uordblks;
  vitc_status status = run(context, images, batch, outputs.pointers);
  size_t after = mallinfo2().uordblks;
  EXPECT_EQ(status, VITC_OK);
  EXPECT_EQ(before, after);
}

TEST(Engine, RefusesNullArguments) {
  EXPECT_EQ(create(model, nullptr, nullptr, nullptr), VITC_ERROR_ARGUMENT);
  Running context;
  Outputs outputs;
  std::vector<float> pixels = ramp();
  TestImage testImage = makeImage(30, 20, 3, 0);
  vitc_image_v2 images[] = {testImage.image(), testImage.image(),
                            testImage.image(), testImage.image()};

  EXPECT_EQ(run(nullptr, images, batch, outputs.pointers), VITC_ERROR_ARGUMENT);
  EXPECT_EQ(run(context, nullptr, batch, outputs.pointers),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(run(context, images, batch, nullptr), VITC_ERROR_ARGUMENT);
  EXPECT_EQ(runTensor(nullptr, pixels.data(), batch, outputs.pointers),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(runTensor(context, nullptr, batch, outputs.pointers),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(runTensor(context, pixels.data(), batch, nullptr),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(preprocess(nullptr, images, batch, pixels.data()),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(preprocess(context, nullptr, batch, pixels.data()),
            VITC_ERROR_ARGUMENT);
  EXPECT_EQ(preprocess(context, images, batch, nullptr), VITC_ERROR_ARGUMENT);
  outputs.pointers[1] = nullptr;
  EXPECT_EQ(runTensor(context, pixels.data(), batch, outputs.pointers),
            VITC_ERROR_ARGUMENT);
  observe(nullptr, nullptr, nullptr);
  destroy(nullptr);
}

TEST(Engine, RefusesMemoryThatOverlaps) {
  Running context;
  std::vector<float> memory(3 * allFloats);
  float *pixels = memory.data() + allFloats;
  Outputs other;
  // The first output right before the pixels, then on them, then right behind.
  for (auto [offset, status] : {std::pair(-allFloats, VITC_OK),
                                std::pair(1 - allFloats, VITC_ERROR_ARGUMENT),
                                std::pair(int64_t(0), VITC_ERROR_ARGUMENT),
                                std::pair(allFloats - 1, VITC_ERROR_ARGUMENT),
                                std::pair(allFloats, VITC_OK)}) {
    void *outputs[] = {pixels + offset, other.first.data()};
    EXPECT_EQ(runTensor(context, pixels, batch, outputs), status) << offset;
  }
  void *same[] = {memory.data(), memory.data() + allFloats - 1};
  EXPECT_EQ(runTensor(context, other.sum.data(), batch, same),
            VITC_ERROR_ARGUMENT);
  TestImage testImage = makeImage(30, 20, 3, 0);
  vitc_image_v2 images[] = {testImage.image(), testImage.image(),
                            testImage.image(), testImage.image()};
  EXPECT_EQ(run(context, images, batch, same), VITC_ERROR_ARGUMENT);
  // Fewer images need less memory, which then does not overlap.
  EXPECT_EQ(run(context, images, batch - 1, same), VITC_OK);
}

TEST(Engine, FailedCreateLeavesNull) {
  void *context = &context;
  EXPECT_EQ(create(model, "/nonexistent/model.weights", nullptr, &context),
            VITC_ERROR_WEIGHTS_OPEN);
  EXPECT_EQ(context, nullptr);

  context = &context;
  vitc_options_v2 options = withThreads(-1);
  EXPECT_EQ(create(model, nullptr, &options, &context), VITC_ERROR_ARGUMENT);
  EXPECT_EQ(context, nullptr);

  Model other = model;
  other.weightsIdentity = 43;
  EXPECT_EQ(create(other, nullptr, nullptr, &context),
            VITC_ERROR_WEIGHTS_MISMATCH);
  other = model;
  other.embeddedWeights = nullptr;
  EXPECT_EQ(create(other, nullptr, nullptr, &context), VITC_ERROR_ARGUMENT);
  other = model;
  other.variants = &variantTable[2];
  other.variantCount = 1;
  EXPECT_EQ(create(other, nullptr, nullptr, &context), VITC_ERROR_CPU);
}

TEST(Engine, TakesTheHighestLevelThatTheCpuAndTheCallerAllow) {
  auto chosen = [] {
    void *context = nullptr;
    EXPECT_EQ(create(model, nullptr, nullptr, &context), VITC_OK);
    std::string name = level(context);
    destroy(context);
    return name;
  };
  unsetenv("VITC_LEVEL");
  EXPECT_EQ(chosen(), "high");
  setenv("VITC_LEVEL", "low", 1);
  EXPECT_EQ(chosen(), "low");
  setenv("VITC_LEVEL", "absent", 1);
  EXPECT_EQ(chosen(), "high");
  unsetenv("VITC_LEVEL");
}

TEST(Engine, EveryStatusHasItsText) {
  std::set<std::string> texts;
  for (int status = VITC_OK; status <= VITC_ERROR_DEVICE_FAILED; ++status)
    texts.insert(statusText(vitc_status(status)));
  EXPECT_EQ(texts.size(), size_t(VITC_ERROR_DEVICE_FAILED) + 1);
  EXPECT_EQ(texts.count(statusText(vitc_status(99))), 0u);
}
