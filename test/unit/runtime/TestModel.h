// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A small model around which the tests of the engine put functions of their
/// own.
#ifndef VITC_TEST_UNIT_RUNTIME_TESTMODEL_H
#define VITC_TEST_UNIT_RUNTIME_TESTMODEL_H

#include "TestImage.h"
#include "vitc/runtime/engine.h"
#include "vitc/runtime/weights.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace vitc::rt {

constexpr int32_t batch = 4, channels = 3, height = 6, width = 5;
constexpr int64_t imageFloats = channels * height * width;
constexpr int64_t allFloats = batch * imageFloats;
constexpr uint64_t bufferOffset = 0;
constexpr uint64_t pixelsOffset = 1024;
constexpr uint64_t scratchOffset = 2048;
constexpr size_t imageWorkspaceBytes =
    scratchOffset + preprocessScratchBytes(channels, height, width);
constexpr size_t workspaceBytes = batch * imageWorkspaceBytes;

/// A weights file with one weight, 0.5.
struct alignas(64) EmbeddedWeights {
  WeightsHeader header;
  float weight;
};

inline const EmbeddedWeights &embeddedWeights() {
  static const EmbeddedWeights weights = [] {
    EmbeddedWeights made{};
    std::memcpy(made.header.magic, "VITCWGT1", 8);
    made.weight = 0.5f;
    made.header.bytes = sizeof(float);
    made.header.identity = 42;
    made.header.checksum = checksum(&made.weight, sizeof(float));
    return made;
  }();
  return weights;
}

inline const vitc_output_v2 outputTable[] = {{"sum",
                                              VITC_F32,
                                              VITC_KIND_MAP,
                                              "NCHW",
                                              4,
                                              {batch, channels, height, width},
                                              allFloats,
                                              allFloats * sizeof(float)},
                                             {"first",
                                              VITC_F32,
                                              VITC_KIND_VALUES,
                                              "N",
                                              1,
                                              {batch},
                                              batch,
                                              batch * sizeof(float)}};

/// Two outputs, one weight, and images of any size. Two images are finished at
/// once, where a variant does that.
template <size_t count>
inline Model makeModel(const Variant (&variants)[count]) {
  Model model{};
  model.table.version = VITC_MODEL_VERSION;
  model.table.batch = batch;
  model.table.channels = channels;
  model.table.height = height;
  model.table.width = width;
  model.table.workspace_bytes = workspaceBytes;
  model.table.weights_bytes = sizeof(float);
  model.table.output_count = 2;
  model.table.outputs = outputTable;
  model.variants = variants;
  model.variantCount = int32_t(count);
  model.weightsIdentity = 42;
  model.embeddedWeights =
      reinterpret_cast<const unsigned char *>(&embeddedWeights());
  model.preprocessing = plainPreprocessing(channels, height, width);
  model.preprocessing.resize = Resize::Exact;
  model.preprocessing.resizeHeight = height;
  model.preprocessing.resizeWidth = width;
  model.finishImages = 2;
  model.imageWorkspaceBytes = imageWorkspaceBytes;
  model.pixelsOffset = pixelsOffset;
  model.scratchOffset = scratchOffset;
  return model;
}

/// A context that is destroyed at the end.
class TestContext {
public:
  explicit TestContext(const Model &model,
                       const vitc_options_v2 *options = nullptr) {
    EXPECT_EQ(create(model, nullptr, options, &context), VITC_OK);
  }
  TestContext(const TestContext &) = delete;
  TestContext &operator=(const TestContext &) = delete;
  ~TestContext() { destroy(context); }

  operator void *() const { return context; }

private:
  void *context = nullptr;
};

struct Outputs {
  std::vector<float> sum = std::vector<float>(allFloats, -1.0f);
  std::vector<float> first = std::vector<float>(batch, -1.0f);
  void *pointers[2] = {sum.data(), first.data()};
};

inline vitc_options_v2 withThreads(int32_t threads) {
  vitc_options_v2 options{};
  options.threads = threads;
  return options;
}

} // namespace vitc::rt

#endif // VITC_TEST_UNIT_RUNTIME_TESTMODEL_H
