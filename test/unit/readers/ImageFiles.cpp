// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ImageFiles.h"

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <png.h>

namespace vitc::test {

std::string encodePng(int width, int height, int depth, int colorType,
                      bool interlaced, const std::vector<uint8_t> &rows) {
  std::string result;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &result,
      [](png_structp png, png_bytep data, size_t size) {
        static_cast<std::string *>(png_get_io_ptr(png))
            ->append(reinterpret_cast<char *>(data), size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, width, height, depth, colorType,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (colorType == PNG_COLOR_TYPE_PALETTE) {
    png_color palette[16];
    for (int i = 0; i < 16; ++i)
      palette[i] = {png_byte(i), png_byte(2 * i), png_byte(3 * i)};
    png_set_PLTE(png, info, palette, 16);
    png_byte alpha[] = {0, 128};
    png_set_tRNS(png, info, alpha, 2, nullptr);
  }
  png_write_info(png, info);
  size_t rowBytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data() + y * rowBytes));
  if (rows.size() != rowBytes * height)
    abort();
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return result;
}

std::string encodeJpeg(int width, int height, int components,
                       const std::vector<uint8_t> &pixels, bool progressive) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char *data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = components;
  info.in_color_space = components == 1   ? JCS_GRAYSCALE
                        : components == 3 ? JCS_RGB
                                          : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  if (progressive)
    jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(
        pixels.data() + size_t(info.next_scanline) * width * components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string result(reinterpret_cast<char *>(data), size);
  jpeg_destroy_compress(&info);
  free(data);
  return result;
}

} // namespace vitc::test
