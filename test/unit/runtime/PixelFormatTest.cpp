// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every pixel format, with every crop, padding and direction of rows, gives
/// the bits of the same image that was made RGB or grey and cropped by hand.
#include "TestImage.h"

#include <climits>
#include <gtest/gtest.h>
#include <string>

using namespace vitc::rt;

namespace {

constexpr int32_t width = 37, height = 29;

struct Format {
  const char *name;
  int32_t number;
  /// Where a pixel has red, green and blue; grey has them all in one byte.
  int32_t red, green, blue, bytes;
};

constexpr Format formats[] = {{"grey", VITC_PIXELS_GREY, 0, 0, 0, 1},
                              {"RGB", VITC_PIXELS_RGB, 0, 1, 2, 3},
                              {"BGR", VITC_PIXELS_BGR, 2, 1, 0, 3},
                              {"RGBA", VITC_PIXELS_RGBA, 0, 1, 2, 4},
                              {"BGRA", VITC_PIXELS_BGRA, 2, 1, 0, 4}};

/// The caller's memory: rows with padding, from above or from below. It ends
/// with the last pixel, so that a sanitizer sees who reads on.
struct Frame {
  std::vector<uint8_t> memory;
  vitc_image_v2 image;
};

Frame makeFrame(const TestImage &colours, const Format &format, bool bottomUp,
                int32_t padding) {
  Frame frame;
  ptrdiff_t row = ptrdiff_t(colours.width) * format.bytes;
  ptrdiff_t stride = row + padding;
  // Alpha and padding are not to be looked at.
  frame.memory.assign(size_t(stride * (colours.height - 1) + row), 0xA5);
  for (int32_t y = 0; y < colours.height; ++y)
    for (int32_t x = 0; x < colours.width; ++x) {
      const uint8_t *rgb = &colours.pixels[size_t(y * colours.width + x) * 3];
      int32_t place = bottomUp ? colours.height - 1 - y : y;
      uint8_t *pixel = &frame.memory[size_t(place * stride) +
                                     size_t(x) * size_t(format.bytes)];
      pixel[format.blue] = rgb[2];
      pixel[format.green] = rgb[1];
      pixel[format.red] = rgb[0];
    }
  const uint8_t *first =
      frame.memory.data() + (bottomUp ? stride * (colours.height - 1) : 0);
  frame.image = {first,
                 colours.width,
                 colours.height,
                 format.number,
                 bottomUp ? -stride : stride,
                 {}};
  return frame;
}

/// The part as an image of its own, with the channels of `format`.
TestImage cropByHand(const TestImage &colours, const Format &format,
                     vitc_rectangle_v2 part) {
  int32_t channels = format.bytes == 1 ? 1 : 3;
  TestImage result{part.width, part.height, channels, {}};
  for (int32_t y = part.y; y < part.y + part.height; ++y)
    for (int32_t x = part.x; x < part.x + part.width; ++x)
      for (int32_t c = 0; c < channels; ++c)
        result.pixels.push_back(
            colours.pixels[size_t((y * colours.width + x) * 3 + c)]);
  return result;
}

/// Shapes that go both ways through the resize, and none of it.
std::vector<Preprocessing> processors(int32_t channels) {
  std::vector<Preprocessing> all;
  for (auto [rows, columns, filter] : {std::tuple{16, 16, Filter::Bicubic},
                                       {4, 31, Filter::Bilinear},
                                       {40, 50, Filter::Lanczos},
                                       {9, 7, Filter::Nearest}}) {
    Preprocessing how = plainPreprocessing(channels, rows, columns);
    how.resize = Resize::Exact;
    how.resizeHeight = rows;
    how.resizeWidth = columns;
    how.filter = filter;
    all.push_back(how);
    how.reversesChannels = true;
    all.push_back(how);
  }
  Preprocessing crop = plainPreprocessing(channels, 12, 12);
  crop.centerCrop = true;
  all.push_back(crop);
  return all;
}

std::vector<float> mustPreprocess(const Preprocessing &how,
                                  const vitc_image_v2 &image) {
  std::vector<float> result;
  EXPECT_EQ(preprocessTo(how, image, result), VITC_OK);
  return result;
}

/// Grey has one value for all channels, as the formula of a grey file.
TestImage testImage(const Format &format) {
  TestImage made = makeImage(width, height, 3, 0);
  if (format.bytes == 1)
    for (size_t i = 0; i < made.pixels.size(); i += 3)
      made.pixels[i + 1] = made.pixels[i + 2] = made.pixels[i];
  return made;
}

} // namespace

TEST(PixelFormat, HasTheBitsOfTheImageConvertedAndCroppedByHand) {
  const vitc_rectangle_v2 crops[] = {
      {0, 0, 0, 0},   {0, 0, width, height}, {5, 3, 20, 11}, {0, 0, 1, 1},
      {36, 0, 1, 29}, {0, 28, 37, 1},        {17, 8, 20, 21}};
  for (const Format &format : formats) {
    TestImage colours = testImage(format);
    for (bool bottomUp : {false, true})
      for (int32_t padding : {0, 13}) {
        Frame frame = makeFrame(colours, format, bottomUp, padding);
        for (const vitc_rectangle_v2 &crop : crops) {
          bool whole = crop.width == 0;
          TestImage byHand =
              cropByHand(colours, format,
                         whole ? vitc_rectangle_v2{0, 0, width, height} : crop);
          frame.image.crop = crop;
          for (int32_t channels : {1, 3})
            for (const Preprocessing &how : processors(channels))
              ASSERT_EQ(mustPreprocess(how, frame.image),
                        mustPreprocess(how, byHand.image()))
                  << format.name << (bottomUp ? ", bottom-up" : "")
                  << ", padding " << padding << ", crop " << crop.x << " "
                  << crop.y << " " << crop.width << " " << crop.height
                  << ", model of " << channels;
        }
      }
  }
}

TEST(PixelFormat, IsTheModelsOwnWhereNoneIsNamed) {
  for (int32_t channels : {1, 3, 5}) {
    TestImage made = makeImage(width, height, channels, 0);
    vitc_image_v2 native = made.image();
    native.format = VITC_PIXELS_NATIVE;
    Preprocessing how = processors(channels)[0];
    EXPECT_EQ(mustPreprocess(how, native), mustPreprocess(how, made.image()));
    native.crop = {3, 2, 10, 20};
    TestImage part{10, 20, channels, {}};
    for (int32_t y = 2; y < 22; ++y)
      for (int32_t i = 3 * channels; i < 13 * channels; ++i)
        part.pixels.push_back(made.pixels[size_t(y * width * channels + i)]);
    vitc_image_v2 byHand = part.image();
    byHand.format = VITC_PIXELS_NATIVE;
    EXPECT_EQ(mustPreprocess(how, native), mustPreprocess(how, byHand));
  }
}

TEST(PixelFormat, OfColoursIsNothingToAModelOfOtherChannels) {
  TestImage five = makeImage(width, height, 5, 0);
  for (const Format &format : formats) {
    vitc_image_v2 image = five.image();
    image.format = format.number;
    std::vector<float> result;
    EXPECT_EQ(preprocessTo(processors(5)[0], image, result),
              VITC_ERROR_ARGUMENT)
        << format.name;
  }
}

TEST(PixelFormat, CropOutsideOfTheImageIsRefused) {
  TestImage made = makeImage(width, height, 3, 0);
  vitc_image_v2 image = made.image();
  const vitc_rectangle_v2 wrong[] = {{0, 0, width + 1, 1},
                                     {0, 0, 1, height + 1},
                                     {1, 0, width, 1},
                                     {0, 1, 1, height},
                                     {width, 0, 1, 1},
                                     {0, height, 1, 1},
                                     {-1, 0, 5, 5},
                                     {0, -1, 5, 5},
                                     {0, 0, 0, 5},
                                     {0, 0, 5, 0},
                                     {3, 0, 0, 0},
                                     {0, 3, 0, 0},
                                     {0, 0, -1, 5},
                                     {0, 0, 5, -1},
                                     {1, 1, INT_MAX, INT_MAX},
                                     {INT_MAX, INT_MAX, 1, 1},
                                     {INT_MAX, INT_MAX, INT_MAX, INT_MAX},
                                     {INT_MIN, INT_MIN, INT_MAX, INT_MAX}};
  for (const vitc_rectangle_v2 &crop : wrong) {
    image.crop = crop;
    std::vector<float> result;
    EXPECT_EQ(preprocessTo(processors(3)[0], image, result),
              VITC_ERROR_ARGUMENT)
        << crop.x << " " << crop.y << " " << crop.width << " " << crop.height;
  }
}

/// A very wide image has more filter weights than the table holds.
TEST(PixelFormat, OfVeryWideImages) {
  TestImage wide = makeImage(40000, 2, 3, 0);
  for (const Format &format : formats) {
    if (format.bytes == 1)
      continue;
    Frame frame = makeFrame(wide, format, false, 0);
    for (int32_t channels : {1, 3}) {
      Preprocessing how = plainPreprocessing(channels, 2, 3);
      how.resize = Resize::Exact;
      how.resizeHeight = 2;
      how.resizeWidth = 3;
      how.filter = Filter::Lanczos;
      EXPECT_EQ(mustPreprocess(how, frame.image),
                mustPreprocess(how, wide.image()))
          << format.name;
    }
  }
}
