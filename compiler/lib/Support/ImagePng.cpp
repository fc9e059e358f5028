// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// PNG through libpng. Its errors come back by longjmp, so the functions that
/// call setjmp hold nothing with a destructor, and all that is allocated
/// belongs to objects of their callers.
#include "ImageFormats.h"

#include <csetjmp>
#include <cstring>
#include <png.h>

using namespace llvm;

namespace vitc {

namespace {
class PngDecoder {
public:
  explicit PngDecoder(StringRef bytes);
  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
  PngDecoder(const PngDecoder &) = delete;
  PngDecoder &operator=(const PngDecoder &) = delete;

  /// The size and the form of the pixels; memory for rows is not taken yet.
  bool readHead();
  /// Sets up the conversion to 8 bits and 1 or 3 channels.
  bool startRows();
  /// All pixels, 8 bits each, into `pixels` of height * rowBytes() bytes.
  bool readPixels(uint8_t *pixels);

  uint32_t width() const { return png_get_image_width(png, info); }
  uint32_t height() const { return png_get_image_height(png, info); }
  /// After startRows: 1 or 3.
  int channels() const { return png_get_channels(png, info); }
  size_t rowBytes() const { return png_get_rowbytes(png, info); }
  /// How many bits a pixel has in the file.
  unsigned storedBits() const { return bitsInFile; }
  const char *message() const { return text; }

private:
  static void onError(png_structp png, png_const_charp message);
  static void onWarning(png_structp, png_const_charp) {}
  static void onRead(png_structp png, png_bytep out, size_t size);

  StringRef rest;
  png_structp png = nullptr;
  png_infop info = nullptr;
  unsigned bitsInFile = 0;
  char text[160] = "out of memory";
};
} // namespace

PngDecoder::PngDecoder(StringRef bytes) : rest(bytes) {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
  if (png)
    info = png_create_info_struct(png);
}

void PngDecoder::onError(png_structp png, png_const_charp message) {
  auto *self = static_cast<PngDecoder *>(png_get_error_ptr(png));
  strncpy(self->text, message, sizeof(self->text) - 1);
  self->text[sizeof(self->text) - 1] = 0;
  png_longjmp(png, 1);
}

void PngDecoder::onRead(png_structp png, png_bytep out, size_t size) {
  auto *self = static_cast<PngDecoder *>(png_get_io_ptr(png));
  if (size > self->rest.size())
    png_error(png, "the file is cut off");
  memcpy(out, self->rest.data(), size);
  self->rest = self->rest.substr(size);
}

bool PngDecoder::readHead() {
  if (!png || !info || setjmp(png_jmpbuf(png)))
    return false;
  png_set_read_fn(png, this, onRead);
  // The caller checks the size; these only let it.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  // Texts and profiles do not change the pixels; unread, they cannot unpack to
  // more than the file holds.
  png_set_keep_unknown_chunks(
      png, PNG_HANDLE_CHUNK_NEVER,
      reinterpret_cast<png_const_bytep>("iCCP\0tEXt\0zTXt\0iTXt\0eXIf\0sPLT\0"
                                        "hIST\0"),
      7);
  png_read_info(png, info);
  bitsInFile = png_get_bit_depth(png, info) * png_get_channels(png, info);
  return true;
}

bool PngDecoder::startRows() {
  if (setjmp(png_jmpbuf(png)))
    return false;
  // What Pillow's convert("RGB") does: the upper 8 of 16 bits, palettes looked
  // up, alpha dropped, no gamma.
  png_set_strip_16(png);
  png_set_expand(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool PngDecoder::readPixels(uint8_t *pixels) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
  for (int pass = 0; pass < passes; ++pass)
    for (uint32_t y = 0; y < height(); ++y)
      png_read_row(png, pixels + y * rowBytes(), nullptr);
  png_read_end(png, nullptr);
  return true;
}

Expected<Image> decodePng(StringRef path, StringRef bytes) {
  PngDecoder decoder(bytes);
  auto broken = [&] {
    return userError(path,
                     "cannot read the PNG image: " + Twine(decoder.message()));
  };
  if (!decoder.readHead())
    return broken();
  // Deflate packs at most 1032 bytes into one.
  uint64_t maxPixels = bytes.size() * uint64_t(1032) * 8 / decoder.storedBits();
  if (Error error = checkImageSize(path, bytes, decoder.width(),
                                   decoder.height(), maxPixels))
    return error;
  if (!decoder.startRows())
    return broken();

  Image image;
  image.width = decoder.width();
  image.height = decoder.height();
  image.channels = decoder.channels();
  size_t rowBytes = size_t(image.width) * image.channels;
  if ((image.channels != 1 && image.channels != 3) ||
      decoder.rowBytes() != rowBytes)
    return userError(path, "the PNG image has " + Twine(image.channels) +
                               " channels, expected 1 or 3");
  image.pixels.resize(rowBytes * image.height);
  if (!decoder.readPixels(image.pixels.data()))
    return broken();
  return image;
}

} // namespace vitc
