// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Results do not depend on the caller's floating-point environment, and the
/// caller keeps it.
#include "vitc/runtime/float_environment.h"

#include "TestModel.h"
#include "vitc/runtime/threads.h"

#include <atomic>
#include <cfenv>
#include <functional>
#include <string>
#include <thread>

using namespace vitc::rt;

namespace {

/// An environment that a product may be in.
struct Setting {
  std::string name;
  std::function<void()> enter;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (auto [name, mode] :
       {std::pair("nearest", FE_TONEAREST), std::pair("up", FE_UPWARD),
        std::pair("down", FE_DOWNWARD), std::pair("to zero", FE_TOWARDZERO)})
    all.push_back({name, [mode = mode] { fesetround(mode); }});
#if defined(__x86_64__)
  auto withBits = [](uint32_t set, uint32_t clear) {
    return [=] {
      FloatEnvironment floats = FloatEnvironment::ofThisThread();
      floats.mxcsr = (floats.mxcsr | set) & ~clear;
      floats.use();
    };
  };
  constexpr uint32_t daz = 1 << 6, ftz = 1 << 15, masks = 0x1f80, flags = 0x3f;
  all.push_back({"no subnormal results", withBits(ftz, 0)});
  all.push_back({"no subnormal operands", withBits(daz, 0)});
  all.push_back({"neither", withBits(daz | ftz, 0)});
  all.push_back({"trapping", withBits(0, masks | flags)});
  all.push_back({"flags raised", withBits(flags, 0)});
#elif defined(__aarch64__)
  auto withBits = [](uint64_t control, uint64_t status) {
    return [=] {
      FloatEnvironment floats;
      floats.control = control;
      floats.status = status;
      floats.use();
    };
  };
  constexpr uint64_t flushToZero = 1 << 24, defaultNan = 1 << 25;
  all.push_back({"no subnormals", withBits(flushToZero, 0)});
  all.push_back({"one NaN", withBits(defaultNan, 0)});
  all.push_back({"flags raised", withBits(0, 0x9f)});
#endif
  return all;
}

/// The bits that a thread's results and its caller's future depend on.
std::string environmentBits() {
  FloatEnvironment floats = FloatEnvironment::ofThisThread();
  return {reinterpret_cast<const char *>(&floats), sizeof(floats)};
}

/// Rounds, makes and takes subnormal numbers, overflows and makes NaN.
float compute(float x) {
  volatile float third = x / 3, tiny = 1.5e-38f;
  volatile float product = third * third + x;
  volatile float small = tiny * third / x;
  volatile float zero = x - x, infinite = 3e38f;
  volatile float large = infinite * (x + 2), nan = zero / zero;
  return product + float(small * 1e38f) * 4 + (large > 3e38f ? 1 : 0) +
         (nan != nan ? 1 : 0);
}

void forward(const Invocation &run) {
  auto body = [](void *argument, int32_t channel) {
    const auto &run = *static_cast<const Invocation *>(argument);
    for (int32_t i = 0; i < height * width; ++i) {
      int64_t at = int64_t(channel) * height * width + i;
      *output<float>(run, 0, uint64_t(at) * sizeof(float)) =
          compute(run.pixels[at]);
    }
  };
  parallelFor(static_cast<Threads *>(run.threads), channels, body,
              const_cast<Invocation *>(&run));
  *output<float>(run, 1, 0) = compute(run.pixels[0]);
}

/// Images of the batch, and their parts, on a thread each.
void everyIndexOnAThread(void *, int32_t count,
                         void (*body)(void *task, int32_t index), void *task) {
  std::vector<std::thread> threads;
  for (int32_t i = 0; i < count; ++i)
    threads.emplace_back([=] { body(task, i); });
  for (std::thread &thread : threads)
    thread.join();
}

const Variant variants[] = {{"only", cpu::Baseline, forward, nullptr}};
const Model model = makeModel(variants);

/// Everything that a context computes.
struct Results {
  Outputs ofTensor, ofImages;
  std::vector<float> pixels = std::vector<float>(allFloats);

  void compute(void *context, const float *tensor,
               const vitc_image_v2 *images) {
    EXPECT_EQ(runTensor(context, tensor, batch, ofTensor.pointers), VITC_OK);
    EXPECT_EQ(run(context, images, batch, ofImages.pointers), VITC_OK);
    EXPECT_EQ(preprocess(context, images, batch, pixels.data()), VITC_OK);
  }
  bool operator==(const Results &other) const {
    return ofTensor.sum == other.ofTensor.sum &&
           ofTensor.first == other.ofTensor.first &&
           ofImages.sum == other.ofImages.sum &&
           ofImages.first == other.ofImages.first && pixels == other.pixels;
  }
};

class FloatEnvironments : public testing::Test {
protected:
  FloatEnvironments() {
    how.preprocessing.filter = Filter::Lanczos;
    how.preprocessing.rescale = 1.0 / 255;
    for (int64_t i = 0; i < allFloats; ++i)
      tensor.push_back(float(i + 1) / 7);
    TestContext context(how);
    expected.compute(context, tensor.data(), images);
  }
  ~FloatEnvironments() override { std::fesetenv(FE_DFL_ENV); }

  /// Sets the environment before or after the context is created.
  void expectSame(vitc_options_v2 options, const char *what) {
    for (const Setting &setting : settings())
      for (bool before : {false, true}) {
        std::fesetenv(FE_DFL_ENV);
        if (before)
          setting.enter();
        TestContext context(how, &options);
        if (!before)
          setting.enter();
        std::string kept = environmentBits();
        Results results;
        results.compute(context, tensor.data(), images);
        std::string left = environmentBits();
        std::fesetenv(FE_DFL_ENV);
        EXPECT_EQ(left, kept) << setting.name << ", " << what;
        EXPECT_TRUE(results == expected)
            << setting.name << " set " << (before ? "before" : "after")
            << " create, " << what;
      }
  }

  Model how = model;
  TestImage testImage = makeImage(17, 9, 3, 0);
  vitc_image_v2 images[batch] = {testImage.image(), testImage.image(),
                                 testImage.image(), testImage.image()};
  std::vector<float> tensor;
  Results expected;
};

} // namespace

TEST_F(FloatEnvironments, DoNotChangeResultsOnOneThread) {
  expectSame(withThreads(1), "1 thread");
}

TEST_F(FloatEnvironments, DoNotChangeResultsOnWorkers) {
  for (int32_t threads : {2, 3, 5})
    expectSame(withThreads(threads), "workers");
}

TEST_F(FloatEnvironments, DoNotChangeResultsOnLentThreads) {
  vitc_options_v2 options{};
  options.parallel_for = everyIndexOnAThread;
  expectSame(options, "lent threads");
}

/// The product's own loop, and what its pool does besides, keep the product's
/// environment.
TEST_F(FloatEnvironments, AreTheProductsInItsLoop) {
  struct Seen {
    std::string bits;
    int calls = 0, others = 0;
  } seen;
  vitc_options_v2 options{};
  options.parallel_user = &seen;
  options.parallel_for = [](void *user, int32_t count,
                            void (*body)(void *task, int32_t index),
                            void *task) {
    auto &seen = *static_cast<Seen *>(user);
    ++seen.calls;
    for (int32_t i = 0; i < count; ++i) {
      seen.others += environmentBits() != seen.bits;
      body(task, i);
    }
    seen.others += environmentBits() != seen.bits;
  };
  TestContext context(how, &options);
  fesetround(FE_UPWARD);
  seen.bits = environmentBits();
  Results results;
  results.compute(context, tensor.data(), images);
  std::fesetenv(FE_DFL_ENV);
  EXPECT_GT(seen.calls, 0);
  EXPECT_EQ(seen.others, 0);
  EXPECT_TRUE(results == expected);
}

/// Otherwise the tests above prove nothing.
TEST_F(FloatEnvironments, ChangeWhatIsComputedInThem) {
  int changes = 0;
  float plain = compute(1.0f / 7);
  for (const Setting &setting : settings()) {
    if (setting.name == "trapping")
      continue;
    setting.enter();
    float other = compute(1.0f / 7);
    std::fesetenv(FE_DFL_ENV);
    changes += std::memcmp(&plain, &other, sizeof(float)) != 0;
  }
#if defined(__x86_64__)
  EXPECT_GE(changes, 5); // three of rounding, two or three of subnormals
#else
  EXPECT_GE(changes, 3);
#endif
}
