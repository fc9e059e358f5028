// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Images for the tests, encoded in memory.
#ifndef VITC_TEST_UNIT_READERS_IMAGEFILES_H
#define VITC_TEST_UNIT_READERS_IMAGEFILES_H

#include <cstdint>
#include <string>
#include <vector>

namespace vitc::test {

/// Rows as PNG stores them for this depth and colour type (16 bits:
/// big-endian). A palette entry i is (i, 2i, 3i).
std::string encodePng(int width, int height, int depth, int colorType,
                      bool interlaced, const std::vector<uint8_t> &rows);

/// 1 (grey), 3 (RGB) or 4 (CMYK) components of quality 95.
std::string encodeJpeg(int width, int height, int components,
                       const std::vector<uint8_t> &pixels,
                       bool progressive = false);

} // namespace vitc::test

#endif // VITC_TEST_UNIT_READERS_IMAGEFILES_H
