// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Valid files with random damage: the readers must answer with a value or a
/// user error, in bounded time. Run it under sanitizers.
#include "ImageFiles.h"
#include "TestFiles.h"
#include "TorchFiles.h"
#include "ZipFiles.h"
#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Preprocess/ImageProcessor.h"
#include "vitc/Support/Image.h"
#include "vitc/Support/Json.h"
#include "vitc/Support/Npy.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include <png.h>

using namespace vitc;
using namespace vitc::test;

namespace {
class MutationTest : public FilesTest {
protected:
  static constexpr int rounds = 3000;

  /// Calls `read` on many damaged versions of `original`.
  void damage(const std::string &original,
              const std::function<llvm::Error(const std::string &)> &read) {
    std::mt19937 random(20240607);
    std::clock_t start = std::clock();
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
      std::string path = write("file", mutate(original, random));
      llvm::Error error = read(path);
      // Not overwritten: some file systems then wait for the disk.
      std::remove(path.c_str());
      if (!error)
        continue;
      ++refused;
      EXPECT_TRUE(error.isA<UserError>());
      std::string message = llvm::toString(std::move(error));
      EXPECT_NE(message.find(path), std::string::npos) << message;
      EXPECT_LT(message.size(), 2000u);
    }
    EXPECT_GT(refused, rounds / 10);
    // Of this process alone, so that a busy machine does not count.
    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 20);
  }

  static std::string mutate(std::string text, std::mt19937 &random) {
    static const char *const words[] = {
        "{",    "}",  "[",    "]",
        "\"",   ":",  ",",    "-1",
        "0",    "99", "1e99", "\\ud8",
        "null", "\n", "\0x",  "18446744073709551616"};
    auto below = [&](size_t n) { return size_t(random() % n); };
    for (size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      size_t at = below(text.size());
      switch (below(6)) {
      case 0:
        text[at] = char(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text[at] = char(random());
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      case 4:
        text.insert(at, words[below(std::size(words))]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(40)));
      }
    }
    return text;
  }
};
} // namespace

/// Opens the file and reads all of every tensor.
static llvm::Error
readTensors(llvm::Expected<std::unique_ptr<Checkpoint>> file) {
  if (!file)
    return file.takeError();
  for (const TensorInfo &tensor : (*file)->tensors()) {
    std::vector<double> values(tensor.elements());
    (*file)->read(tensor, 0, llvm::MutableArrayRef<double>(values));
    countNonFinite(**file, tensor);
    if (isFloatingPoint(tensor.type))
      continue;
    llvm::consumeError(
        (*file)->getIntegers(tensor.name, tensor.shape).takeError());
  }
  return llvm::Error::success();
}

TEST_F(MutationTest, Safetensors) {
  damage(safetensorsBytes({{"a", "F32", {2, 3}, std::string(24, 'x')},
                           {"b.weight", "BF16", {4}, std::string(8, 'y')},
                           {"c", "I64", {}, std::string(8, 'z')}}),
         [](const std::string &path) {
           return readTensors(openSafetensors(path));
         });
}

TEST_F(MutationTest, Npz) {
  for (bool zip64 : {false, true})
    damage(zipBytes({{"a/b.npy",
                      npyBytes("<f4", "(2, 3)", std::string(24, 'x'), true)},
                     {"c.npy", npyBytes("|V2", "(4,)", std::string(8, 'y')),
                      /*deflated=*/true},
                     {"d.npy", npyBytes("<i8", "()", std::string(8, 'z'))}},
                    zip64),
           [](const std::string &path) { return readTensors(openNpz(path)); });
}

static std::string smallStateDict() {
  return pickleBytes(pickledDict(
      {{"epoch", "K\7"},
       {"model",
        pickledOrderedDict(
            {{"module.a", pickledFloats("0", {2, 3})},
             {"module.b",
              pickledTensor({"FloatStorage", "0", 6, 1, {2, 2}, {1, 2}})},
             {"module.c",
              pickledTensor({"LongStorage", "1", 1, 0, {}, {}})}})}}));
}

TEST_F(MutationTest, Torch) {
  damage(torchBytes(smallStateDict(),
                    {{"0", std::string(24, 'x')}, {"1", std::string(8, 'y')}}),
         [](const std::string &path) { return readTensors(openTorch(path)); });
}

/// In the archive every damage shows in its sums; without them the pickle
/// itself must stand it.
TEST_F(MutationTest, OldTorch) {
  auto counted = [](char count, size_t size) {
    return count + std::string(7, '\0') + std::string(size, 'x');
  };
  damage(oldTorchBytes(smallStateDict(),
                       {{"0", counted(6, 24)}, {"1", counted(1, 8)}}),
         [](const std::string &path) { return readTensors(openTorch(path)); });
}

TEST_F(MutationTest, Json) {
  damage(R"({"size": {"height": 224, "width": 224}, "name": "a\u00e9\n",
  "list": [1, 2.5, -3e2, true, false, null, {"x": []}], "deep": [[[[{}]]]]})",
         [](const std::string &path) -> llvm::Error {
           auto json = readJson(path);
           if (!json)
             return json.takeError();
           for (const std::string &key : json->keys())
             json->place(key);
           return llvm::Error::success();
         });
}

TEST_F(MutationTest, ImageProcessor) {
  damage(R"({"do_resize": true, "size": {"shortest_edge": 256}, "resample": 3,
  "do_center_crop": true, "crop_size": {"height": 224, "width": 224},
  "do_rescale": true, "rescale_factor": 0.00392156862745098,
  "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})",
         [](const std::string &path) -> llvm::Error {
           return readImageProcessor(path, 3).takeError();
         });
}

TEST_F(MutationTest, Npy) {
  ASSERT_FALSE(bool(writeNpy(at("valid"), {2, 3}, {1, 2, 3, 4, 5, 6})));
  std::ifstream file(at("valid"), std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  damage(content.str(), [](const std::string &path) -> llvm::Error {
    return readNpy(path).takeError();
  });
}

static llvm::Error readPixels(const std::string &path) {
  auto image = readImage(path);
  if (!image)
    return image.takeError();
  EXPECT_EQ(image->pixels.size(),
            size_t(image->width) * image->height * image->channels);
  return llvm::Error::success();
}

TEST_F(MutationTest, Png) {
  std::vector<uint8_t> rows(16 * 16 * 3);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = uint8_t(i * i);
  damage(encodePng(16, 16, 8, PNG_COLOR_TYPE_RGB, true, rows), readPixels);
}

TEST_F(MutationTest, Jpeg) {
  std::vector<uint8_t> pixels(16 * 16 * 3);
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = uint8_t(i * i);
  for (bool progressive : {false, true})
    damage(encodeJpeg(16, 16, 3, pixels, progressive), readPixels);
}

TEST_F(MutationTest, Ppm) {
  damage("P6\n# comment\n4 4\n255\n" + std::string(48, 'p'), readPixels);
  damage("P3 2 2 255 1 2 3 4 5 6 7 8 9 10 11 12", readPixels);
}
