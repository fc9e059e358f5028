// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Preprocess/ImageProcessor.h"

#include "TestFiles.h"

using namespace vitc;
using namespace vitc::test;

using Resize = ImageProcessor::Resize;

namespace {
class ImageProcessorTest : public FilesTest {
protected:
  ImageProcessor read(const std::string &text, int channels = 3) const {
    return valueOf(readImageProcessor(write("p.json", text), channels));
  }
  std::string failure(const std::string &text, int channels = 3) const {
    std::string message =
        messageOf(readImageProcessor(write("p.json", text), channels));
    expectParts(message, {at("p.json") + ":"});
    return message;
  }
};
} // namespace

static void expectResize(const ImageProcessor &processor, Resize resize,
                         int64_t height, int64_t width, int64_t filter) {
  EXPECT_EQ(processor.resize, resize);
  EXPECT_EQ(processor.resizeHeight, height);
  EXPECT_EQ(processor.resizeWidth, width);
  EXPECT_EQ(processor.filter, filter);
}

static void expectCrop(const ImageProcessor &processor, bool crop,
                       int64_t height = 0, int64_t width = 0) {
  EXPECT_EQ(processor.centerCrop, crop);
  EXPECT_EQ(processor.cropHeight, height);
  EXPECT_EQ(processor.cropWidth, width);
}

TEST_F(ImageProcessorTest, Vit) {
  ImageProcessor processor = read(R"({
    "do_normalize": true, "do_rescale": true, "do_resize": true,
    "image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6],
    "image_processor_type": "ViTImageProcessor", "resample": 2,
    "rescale_factor": 0.00392156862745098,
    "size": {"height": 48, "width": 64}})");
  expectResize(processor, Resize::Exact, 48, 64, 2);
  expectCrop(processor, false);
  EXPECT_EQ(processor.rescale, 0.00392156862745098);
  EXPECT_EQ(processor.mean, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(processor.std, (std::vector<double>{0.4, 0.5, 0.6}));
}

TEST_F(ImageProcessorTest, OldVitWithoutType) {
  ImageProcessor processor = read(R"({"do_normalize": true, "do_resize": true,
    "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
    "size": 224})");
  expectResize(processor, Resize::Exact, 224, 224, 2);
  expectCrop(processor, false);
  EXPECT_EQ(processor.rescale, 1.0 / 255);
}

TEST_F(ImageProcessorTest, Clip) {
  ImageProcessor old = read(R"({"crop_size": 224, "do_center_crop": true,
    "do_normalize": true, "do_resize": true, "resample": 3, "size": 256,
    "feature_extractor_type": "CLIPFeatureExtractor",
    "image_mean": [0.48, 0.45, 0.40], "image_std": [0.26, 0.26, 0.27]})");
  expectResize(old, Resize::ShortestEdge, 256, 256, 3);
  expectCrop(old, true, 224, 224);
  ImageProcessor current = read(R"({"image_processor_type":
    "CLIPImageProcessorFast", "size": {"shortest_edge": 32},
    "crop_size": {"height": 32, "width": 30}})");
  expectResize(current, Resize::ShortestEdge, 32, 32, 3);
  expectCrop(current, true, 32, 30);
  EXPECT_EQ(current.mean[0], 0.48145466);
}

TEST_F(ImageProcessorTest, DeitIntegerIsASquare) {
  ImageProcessor processor = read(R"({"crop_size": 224, "size": 256,
    "do_center_crop": true, "resample": 3,
    "feature_extractor_type": "DeiTFeatureExtractor"})");
  expectResize(processor, Resize::Exact, 256, 256, 3);
  expectCrop(processor, true, 224, 224);
}

TEST_F(ImageProcessorTest, UntypedCropIsShortestEdge) {
  ImageProcessor processor = read(R"({"crop_size": 224, "size": 256,
    "do_center_crop": true, "resample": 3, "image_mean": 0.5,
    "image_std": 0.5})");
  expectResize(processor, Resize::ShortestEdge, 256, 256, 3);
  expectCrop(processor, true, 224, 224);
  EXPECT_EQ(processor.mean, (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST_F(ImageProcessorTest, ConvNext) {
  std::string head = R"({"image_processor_type": "ConvNextImageProcessor",
    "crop_pct": 0.875, "size": {"shortest_edge": )";
  ImageProcessor small = read(head + "224}}");
  expectResize(small, Resize::ShortestEdge, 256, 256, 3);
  expectCrop(small, true, 224, 224);
  ImageProcessor large = read(head + "384}}");
  expectResize(large, Resize::Exact, 384, 384, 3);
  expectCrop(large, false);
}

TEST_F(ImageProcessorTest, StepsSwitchedOff) {
  ImageProcessor processor = read(R"({"do_resize": false, "do_rescale": false,
    "do_normalize": false, "do_center_crop": false, "size": "unused",
    "image_std": [0], "new_key": {"of": ["a", "library"]}})");
  expectResize(processor, Resize::None, 0, 0, 2);
  expectCrop(processor, false);
  EXPECT_EQ(processor.rescale, 1);
  EXPECT_TRUE(processor.mean.empty());
  EXPECT_TRUE(processor.std.empty());
}

TEST_F(ImageProcessorTest, OneMeanIsRepeated) {
  EXPECT_EQ(read(R"({"image_mean": [0.25]})").mean,
            (std::vector<double>{0.25, 0.25, 0.25}));
  EXPECT_EQ(read(R"({"image_mean": [0.25]})", 1).mean,
            std::vector<double>{0.25});
  EXPECT_EQ(read("{\"size\": null}", 1).std, std::vector<double>{0.5});
}

TEST_F(ImageProcessorTest, Timm) {
  std::string head = R"({"input_size": [3, 32, 32], "interpolation": "bicubic",
    "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "crop_pct": 0.9)";
  ImageProcessor processor = read(head + ", \"crop_mode\": \"center\"}");
  expectResize(processor, Resize::ShortestEdge, 35, 35, 3);
  expectCrop(processor, true, 32, 32);
  EXPECT_TRUE(processor.cropRoundsHalfToEven);
  EXPECT_EQ(processor.rescale, 1.0 / 255);
  expectResize(read(head + ", \"crop_mode\": \"squash\"}"), Resize::Exact, 35,
               35, 3);
  expectResize(read(R"({"input_size": [3, 48, 80], "crop_pct": 0.9,
                        "interpolation": "bicubic",
                        "mean": 0, "std": 1})"),
               Resize::Cover, 53, 88, 2);
  // Another size: what timm makes for it, not what it made before, scaled.
  processor.retarget(24, 24);
  expectResize(processor, Resize::ShortestEdge, 26, 26, 3);
  expectCrop(processor, true, 24, 24);
  processor.retarget(24, 48);
  expectResize(processor, Resize::Cover, 26, 53, 2);
  processor.retarget(32, 32);
  expectResize(processor, Resize::ShortestEdge, 35, 35, 3);
  expectParts(failure(head + ", \"crop_mode\": \"border\"}"),
              {"\"border\" is not supported"});
  expectParts(failure(head + "}", 1), {"3 channels", "has 1"});
  expectParts(failure(R"({"input_size": [3, 32], "mean": 0, "std": 1})"),
              {"input_size must be"});
  expectParts(failure(R"({"input_size": [3, 32, 32], "mean": 0, "std": 1,
                          "interpolation": "random"})"),
              {"\"random\"", "bicubic"});
  expectParts(failure(R"({"input_size": [3, 32, 32], "mean": 0, "std": 1,
                          "crop_pct": 0})"),
              {"crop_pct must be above 0"});
  expectParts(failure(R"({"input_size": [3, 32, 32], "mean": 0, "std": 1,
                          "crop_pct": 1e-300})"),
              {"crop_pct is too small"});
}

TEST_F(ImageProcessorTest, UnknownFilter) {
  expectParts(failure("{\n\"resample\": 7}"),
              {"p.json:2:13", "resample 7", "2 (bilinear)", "5 (hamming)"});
  expectParts(failure(R"({"resample": "bicubic"})"), {"must be an integer"});
}

TEST_F(ImageProcessorTest, WrongStd) {
  expectParts(failure(R"({"image_std": [0.5, 0, 0.5]})"),
              {"image_std", "above 0"});
  expectParts(failure(R"({"image_std": -1})"), {"image_std", "above 0"});
  expectParts(failure(R"({"image_std": [0.5, 0.5]})"),
              {"2 numbers", "3 channels"});
  expectParts(failure(R"({"image_mean": "grey"})"), {"image_mean", "a number"});
  expectParts(failure(R"({"image_mean": []})"), {"0 numbers"});
}

TEST_F(ImageProcessorTest, WrongSizes) {
  expectParts(failure(R"({"size": 0})"), {"size is 0", "65536"});
  expectParts(failure(R"({"size": -3})"), {"size is -3"});
  expectParts(failure(R"({"size": 65537})"), {"65537"});
  expectParts(failure(R"({"size": {"height": 4}})"), {"size.width is missing"});
  expectParts(failure(R"({"size": {"height": 4, "width": "4"}})"),
              {"size.width must be an integer"});
  expectParts(failure(R"({"size": {"longest_edge": 4}})"),
              {"size.longest_edge is not supported"});
  expectParts(failure(R"({"size": {"shortest_edge": 4, "longest_edge": 9}})"),
              {"size.longest_edge is not supported"});
  expectParts(failure(R"({"size": {"shortest_edge": 4, "height": 9}})"),
              {"both"});
  expectParts(failure(R"({"do_center_crop": true, "size": 4, "resample": 2})"),
              {"crop_size is missing"});
  expectParts(failure(R"({"do_center_crop": true, "size": 4, "resample": 2,
                          "crop_size": {"shortest_edge": 4}})"),
              {"crop_size.shortest_edge"});
}

TEST_F(ImageProcessorTest, WrongSwitches) {
  expectParts(failure(R"({"do_resize": 1})"), {"do_resize", "true or false"});
  expectParts(failure(R"({"do_convert_rgb": "yes"})"), {"do_convert_rgb"});
  expectParts(failure(R"({"rescale_factor": 0})"), {"rescale_factor"});
}

TEST_F(ImageProcessorTest, Unsupported) {
  for (const char *key :
       {"do_pad", "do_thumbnail", "rescale_offset", "keep_aspect_ratio"}) {
    expectParts(failure("{\"" + std::string(key) + "\": true}"),
                {key, "is not supported"});
    read("{\"" + std::string(key) + "\": false}");
  }
  expectParts(failure(R"({"size_divisor": 32})"), {"size_divisor"});
  expectParts(failure(R"({"crop_pct": 0.9})"), {"crop_pct"});
  expectParts(failure(R"({"image_processor_type": "LevitImageProcessor"})"),
              {"LevitImageProcessor is not supported"});
  expectParts(failure(R"({"image_processor_type": "NewImageProcessor"})"),
              {"size is missing"});
}

TEST_F(ImageProcessorTest, MobileViT) {
  ImageProcessor processor =
      read(R"({"image_processor_type": "MobileViTImageProcessor",
               "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})");
  EXPECT_TRUE(processor.reversesChannels);
  EXPECT_TRUE(processor.mean.empty());
  expectCrop(processor, true, 256, 256);
}

TEST_F(ImageProcessorTest, Default) {
  ImageProcessor processor = ImageProcessor::makeDefault(1, 28, 30);
  expectResize(processor, Resize::Exact, 28, 30, 2);
  EXPECT_EQ(processor.rescale, 1.0 / 255);
  EXPECT_EQ(processor.mean, std::vector<double>{0.5});
}

TEST_F(ImageProcessorTest, Retarget) {
  ImageProcessor exact = ImageProcessor::makeDefault(3, 224, 224);
  exact.retarget(384, 192);
  expectResize(exact, Resize::Exact, 384, 192, 2);

  ImageProcessor cropped;
  cropped.resize = Resize::ShortestEdge;
  cropped.resizeHeight = cropped.resizeWidth = 256;
  cropped.centerCrop = true;
  cropped.cropHeight = cropped.cropWidth = 224;
  ImageProcessor same = cropped;
  same.retarget(224, 224);
  EXPECT_EQ(same.resizeHeight, 256);
  ImageProcessor larger = cropped;
  larger.retarget(448, 224);
  EXPECT_EQ(larger.resizeHeight, 512);
  expectCrop(larger, true, 448, 224);

  ImageProcessor uncropped = cropped;
  uncropped.centerCrop = false;
  uncropped.retarget(384, 384);
  EXPECT_EQ(uncropped.resizeHeight, 384);
  expectCrop(uncropped, true, 384, 384);
}
