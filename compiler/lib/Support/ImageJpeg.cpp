// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// JPEG through libjpeg-turbo. Its errors come back by longjmp, so the
/// functions that call setjmp hold nothing with a destructor, and all that is
/// allocated belongs to objects of their callers.
#include "ImageFormats.h"

#include "llvm/ADT/STLExtras.h"

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

using namespace llvm;

namespace vitc {

namespace {
class JpegDecoder {
public:
  explicit JpegDecoder(StringRef bytes);
  ~JpegDecoder() { jpeg_destroy_decompress(&info); }
  JpegDecoder(const JpegDecoder &) = delete;
  JpegDecoder &operator=(const JpegDecoder &) = delete;

  /// Size and colours; nothing of the image's size is allocated yet.
  bool readHead();
  /// All rows, `channels()` bytes per pixel.
  bool readPixels(uint8_t *pixels);

  uint32_t width() const { return info.image_width; }
  uint32_t height() const { return info.image_height; }
  int channels() const { return info.out_color_components; }
  bool isArithmetic() const { return info.arith_code; }
  bool isInk() const { return info.out_color_space == JCS_CMYK; }
  const char *message() const { return text; }

private:
  static void onError(j_common_ptr info);
  static void onMessage(j_common_ptr info, int level);
  static void onProgress(j_common_ptr info);

  StringRef bytes;
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  jmp_buf escape;
  char text[JMSG_LENGTH_MAX] = "";
};
} // namespace

/// More scans than any encoder writes; each is a pass over the whole image.
static constexpr int maxScans = 500;

JpegDecoder::JpegDecoder(StringRef bytes) : bytes(bytes) {
  info.err = jpeg_std_error(&errors);
  errors.error_exit = onError;
  errors.emit_message = onMessage;
  errors.output_message = [](j_common_ptr) {};
  info.client_data = this;
}

void JpegDecoder::onError(j_common_ptr info) {
  auto *self = static_cast<JpegDecoder *>(info->client_data);
  info->err->format_message(info, self->text);
  longjmp(self->escape, 1);
}

/// libjpeg fills up what is missing with grey and only warns. Warnings that
/// mean lost pixels are errors here; those about tolerated oddities are not.
void JpegDecoder::onMessage(j_common_ptr info, int level) {
  static const int lost[] = {JWRN_JPEG_EOF, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE,
                             JWRN_MUST_RESYNC, JWRN_BOGUS_PROGRESSION};
  if (level < 0 && is_contained(lost, info->err->msg_code))
    onError(info);
}

void JpegDecoder::onProgress(j_common_ptr info) {
  auto *self = static_cast<JpegDecoder *>(info->client_data);
  if (!info->is_decompressor || self->info.input_scan_number <= maxScans)
    return;
  snprintf(self->text, sizeof(self->text), "more than %d scans", maxScans);
  longjmp(self->escape, 1);
}

bool JpegDecoder::readHead() {
  if (setjmp(escape))
    return false;
  jpeg_create_decompress(&info);
  info.client_data = this;
  progress.progress_monitor = onProgress;
  info.progress = &progress;
  jpeg_mem_src(&info, bytes.bytes_begin(), bytes.size());
  jpeg_read_header(&info, TRUE);
  // The rest of libjpeg's defaults are those that Pillow decodes with.
  if (info.num_components == 1)
    info.out_color_space = JCS_GRAYSCALE;
  else if (info.num_components == 4)
    info.out_color_space = JCS_CMYK;
  else
    info.out_color_space = JCS_RGB;
  jpeg_calc_output_dimensions(&info);
  return true;
}

bool JpegDecoder::readPixels(uint8_t *pixels) {
  if (setjmp(escape))
    return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + size_t(info.output_scanline) * info.output_width *
                                info.out_color_components;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

/// Pillow's way from CMYK to RGB; the inks are stored inverted, as Adobe does.
static void inkToRgb(ArrayRef<uint8_t> ink, std::vector<uint8_t> &rgb) {
  rgb.resize(ink.size() / 4 * 3);
  for (size_t i = 0; i < ink.size() / 4; ++i) {
    int light = ink[4 * i + 3];
    for (int c = 0; c < 3; ++c) {
      int product = (255 - ink[4 * i + c]) * light + 128;
      rgb[3 * i + c] = light - (((product >> 8) + product) >> 8);
    }
  }
}

Expected<Image> decodeJpeg(StringRef path, StringRef bytes) {
  JpegDecoder decoder(bytes);
  auto broken = [&] {
    return userError(path,
                     "cannot read the JPEG image: " + Twine(decoder.message()));
  };
  if (!decoder.readHead())
    return broken();
  if (decoder.isArithmetic())
    return userError(path, "arithmetic-coded JPEG is not read, expected "
                           "Huffman-coded");
  // A block of 64 pixels takes at least one bit.
  if (Error error = checkImageSize(path, bytes, decoder.width(),
                                   decoder.height(), bytes.size() * 8 * 64))
    return error;

  Image image;
  image.width = decoder.width();
  image.height = decoder.height();
  image.channels = decoder.isInk() ? 3 : decoder.channels();
  size_t samples = size_t(image.width) * image.height * decoder.channels();
  std::vector<uint8_t> decoded(samples);
  if (!decoder.readPixels(decoded.data()))
    return broken();
  if (decoder.isInk())
    inkToRgb(decoded, image.pixels);
  else
    image.pixels = std::move(decoded);
  return image;
}

} // namespace vitc
