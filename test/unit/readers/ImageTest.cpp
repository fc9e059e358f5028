// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Image.h"

#include "ImageFiles.h"
#include "TestFiles.h"

#include <cstring>
#include <png.h>

using namespace vitc;
using namespace vitc::test;

using Bytes = std::vector<uint8_t>;

namespace {
class ImageTest : public FilesTest {
protected:
  Image read(const std::string &content) const {
    return valueOf(readImage(write("image", content)));
  }
  std::string failure(const std::string &content) const {
    std::string message = messageOf(readImage(write("image", content)));
    expectParts(message, {at("image")});
    return message;
  }
  void expectImage(const std::string &content, int width, int height,
                   int channels, const Bytes &pixels) const {
    Image image = read(content);
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
    EXPECT_EQ(image.channels, channels);
    EXPECT_EQ(image.pixels, pixels);
  }
  /// An image without sharp edges, so that JPEG keeps it.
  static Bytes gradient(int width, int height, int channels) {
    Bytes pixels;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < channels; ++c)
          pixels.push_back(uint8_t(40 + 2 * x + 3 * y + 20 * c));
    return pixels;
  }
  static void expectNear(const Bytes &a, const Bytes &b, int tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], tolerance) << i;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// PNG
//===----------------------------------------------------------------------===//

TEST_F(ImageTest, PngGrey) {
  expectImage(
      encodePng(3, 2, 8, PNG_COLOR_TYPE_GRAY, false, {0, 1, 2, 253, 254, 255}),
      3, 2, 1, {0, 1, 2, 253, 254, 255});
}

TEST_F(ImageTest, PngFewBits) {
  expectImage(encodePng(4, 1, 1, PNG_COLOR_TYPE_GRAY, false, {0xa0}), 4, 1, 1,
              {255, 0, 255, 0});
  expectImage(encodePng(4, 1, 2, PNG_COLOR_TYPE_GRAY, false, {0x1b}), 4, 1, 1,
              {0, 85, 170, 255});
  expectImage(encodePng(2, 1, 4, PNG_COLOR_TYPE_GRAY, false, {0x1f}), 2, 1, 1,
              {17, 255});
}

TEST_F(ImageTest, PngRgbAndInterlaced) {
  Bytes pixels = gradient(19, 13, 3);
  for (bool interlaced : {false, true})
    expectImage(encodePng(19, 13, 8, PNG_COLOR_TYPE_RGB, interlaced, pixels),
                19, 13, 3, pixels);
}

TEST_F(ImageTest, PngAlphaIsDropped) {
  expectImage(encodePng(2, 1, 8, PNG_COLOR_TYPE_RGB_ALPHA, false,
                        {1, 2, 3, 0, 4, 5, 6, 128}),
              2, 1, 3, {1, 2, 3, 4, 5, 6});
  expectImage(
      encodePng(2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, false, {7, 0, 8, 9}), 2, 1,
      1, {7, 8});
}

TEST_F(ImageTest, PngPalette) {
  expectImage(encodePng(3, 1, 4, PNG_COLOR_TYPE_PALETTE, false, {0x1f, 0x00}),
              3, 1, 3, {1, 2, 3, 15, 30, 45, 0, 0, 0});
}

TEST_F(ImageTest, Png16Bits) {
  expectImage(encodePng(1, 1, 16, PNG_COLOR_TYPE_RGB, false,
                        {0x12, 0xff, 0x34, 0x00, 0xff, 0x80}),
              1, 1, 3, {0x12, 0x34, 0xff});
}

TEST_F(ImageTest, PngTruncated) {
  std::string png =
      encodePng(19, 13, 8, PNG_COLOR_TYPE_RGB, false, gradient(19, 13, 3));
  for (size_t size :
       {size_t(8), size_t(20), size_t(40), png.size() / 2, png.size() - 1})
    expectParts(failure(png.substr(0, size)), {"PNG", "cut off"});
}

TEST_F(ImageTest, PngCorrupt) {
  std::string png =
      encodePng(19, 13, 8, PNG_COLOR_TYPE_RGB, false, gradient(19, 13, 3));
  png[png.size() / 2] ^= 1;
  expectParts(failure(png), {"cannot read the PNG image", "IDAT"});
}

/// Writes a new size into the head and repairs its checksum.
static std::string withSize(std::string png, uint32_t width, uint32_t height) {
  auto put = [&](size_t at, uint32_t value) {
    for (int i = 0; i < 4; ++i)
      png[at + i] = char(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  uint32_t crc = 0xffffffff;
  for (size_t i = 12; i < 29; ++i) {
    crc ^= uint8_t(png[i]);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  put(29, ~crc);
  return png;
}

TEST_F(ImageTest, PngWrongSizes) {
  std::string png = encodePng(1, 1, 8, PNG_COLOR_TYPE_GRAY, false, {1});
  EXPECT_EQ(read(withSize(png, 1, 1)).width, 1);
  expectParts(failure(withSize(png, 0, 1)), {"PNG", "IHDR"});
  expectParts(failure(withSize(png, 1, 0)), {"PNG", "IHDR"});
  expectParts(failure(withSize(png, 0x7fffffff, 0x7fffffff)),
              {"2147483647x2147483647", "too large"});
  expectParts(failure(withSize(png, 30000, 30000)),
              {"30000x30000", "more than a file of"});
}

//===----------------------------------------------------------------------===//
// JPEG
//===----------------------------------------------------------------------===//

TEST_F(ImageTest, JpegRgb) {
  Bytes pixels = gradient(33, 17, 3);
  for (bool progressive : {false, true}) {
    Image image = read(encodeJpeg(33, 17, 3, pixels, progressive));
    EXPECT_EQ(image.width, 33);
    EXPECT_EQ(image.height, 17);
    EXPECT_EQ(image.channels, 3);
    expectNear(image.pixels, pixels, 8);
  }
}

TEST_F(ImageTest, JpegGrey) {
  Bytes pixels = gradient(9, 9, 1);
  Image image = read(encodeJpeg(9, 9, 1, pixels));
  EXPECT_EQ(image.channels, 1);
  expectNear(image.pixels, pixels, 6);
}

TEST_F(ImageTest, JpegCmyk) {
  // Inverted, as Adobe stores it: full light of the first ink, no black.
  Bytes ink, expected;
  for (int i = 0; i < 64; ++i) {
    ink.insert(ink.end(), {200, 100, 50, 255});
    expected.insert(expected.end(), {200, 100, 50});
  }
  Image image = read(encodeJpeg(8, 8, 4, ink));
  EXPECT_EQ(image.channels, 3);
  expectNear(image.pixels, expected, 4);
}

TEST_F(ImageTest, JpegTruncated) {
  for (bool progressive : {false, true}) {
    std::string jpeg = encodeJpeg(64, 64, 3, gradient(64, 64, 3), progressive);
    for (size_t size : {size_t(3), size_t(30), jpeg.size() / 2,
                        jpeg.size() * 9 / 10, jpeg.size() - 2})
      expectParts(failure(jpeg.substr(0, size)),
                  {"cannot read the JPEG image"});
  }
}

TEST_F(ImageTest, JpegWrongSizes) {
  std::string jpeg = encodeJpeg(8, 8, 1, gradient(8, 8, 1));
  size_t sof = jpeg.find("\xff\xc0");
  ASSERT_NE(sof, std::string::npos);
  std::string huge = jpeg;
  huge.replace(sof + 5, 4, "\xff\xdc\xff\xdc");
  expectParts(failure(huge), {"65500x65500", "too large"});
  std::string large = jpeg;
  large.replace(sof + 5, 4, "\x40\x01\x40\x01");
  expectParts(failure(large), {"16385x16385", "more than a file of"});
  std::string empty = jpeg;
  empty.replace(sof + 5, 4, std::string("\0\0\0\10", 4));
  failure(empty);
}

//===----------------------------------------------------------------------===//
// PPM
//===----------------------------------------------------------------------===//

TEST_F(ImageTest, Ppm) {
  expectImage("P6 2 1 255\nabcdef", 2, 1, 3, {'a', 'b', 'c', 'd', 'e', 'f'});
  expectImage("P5\n# a comment\n3 # another\n1\n255\nabc", 3, 1, 1,
              {'a', 'b', 'c'});
  expectImage("P3 1 2 255 1 2 3\n4 5 6", 1, 2, 3, {1, 2, 3, 4, 5, 6});
  expectImage("P2 2 1 3 0 3", 2, 1, 1, {0, 255});
  expectImage("P2 2 1 4 1 2", 2, 1, 1, {64, 128});
  expectImage(std::string("P5 2 1 65535\n\xff\xff\x80\x80", 17), 2, 1, 1,
              {255, 128});
}

TEST_F(ImageTest, PpmWrong) {
  expectParts(failure("P1 1 1\n1"), {"P1 images are not read"});
  expectParts(failure("P6"), {"not an image"});
  expectParts(failure("P6 2 1"), {"cut off"});
  expectParts(failure("P6 2 x 255\nabcdef"), {"width, height"});
  expectParts(failure("P6 2 -1 255\nabcdef"), {"width, height"});
  expectParts(failure("P6 99999999999 1 255\nabc"), {"width, height"});
  expectParts(failure("P6 2 1 0\nabcdef"), {"largest sample is 0"});
  expectParts(failure("P6 2 1 65536\nabcdef"), {"65536"});
  expectParts(failure("P6 0 1 255\n"), {"empty: 0x1"});
  expectParts(failure("P6 2 1 255\nabcde"), {"2x1", "more than a file of"});
  expectParts(failure("P6 4294967295 4294967295 255\nabc"), {"too large"});
  expectParts(failure("P2 2 1 3 0 x"), {"cut off or holds"});
  expectParts(failure("P2 2 1 3 0 4"), {"4 is over", "maximum 3"});
  expectParts(failure("P2 30000 30000 255 1 2"), {"more than a file of"});
}

TEST_F(ImageTest, NotAnImage) {
  expectParts(failure(""), {"is empty"});
  expectParts(failure("GIF89a"), {"expected PNG, JPEG, PPM or PGM"});
  expectParts(messageOf(readImage(folder)), {"is a folder"});
  expectParts(messageOf(readImage(at("none"))), {"No such file"});
}
