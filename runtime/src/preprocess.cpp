// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/preprocess.h"

#include "resize.h"

#include <algorithm>
#include <cmath>

namespace vitc::rt {

namespace {

struct Size {
  int64_t height, width;
};

/// One axis of the crop: results [at, at + length) are what stands at
/// [start, …) of the resized image, the others are padding.
struct Crop {
  int32_t start, at, length;
};

} // namespace

/// How the model reads a format: nothing if it cannot.
static bool readsFormat(int32_t modelChannels, int32_t format, Source &source) {
  bool usual = modelChannels == 1 || modelChannels == 3;
  source.blueFirst = false;
  switch (format) {
  case VITC_PIXELS_NATIVE:
    source.pixelBytes = source.channels = modelChannels;
    source.toGrey = false;
    return modelChannels <= maxChannels;
  case VITC_PIXELS_GREY:
    source.pixelBytes = 1;
    break;
  case VITC_PIXELS_BGR:
    source.blueFirst = true;
    [[fallthrough]];
  case VITC_PIXELS_RGB:
    source.pixelBytes = 3;
    break;
  case VITC_PIXELS_BGRA:
    source.blueFirst = true;
    [[fallthrough]];
  case VITC_PIXELS_RGBA:
    source.pixelBytes = 4;
    break;
  default: // the caller's memory may hold any number
    return false;
  }
  source.channels = source.pixelBytes < 3 ? 1 : 3;
  source.toGrey = modelChannels == 1 && source.channels == 3;
  return usual;
}

static bool validPixels(const vitc_image_v2 &image, int32_t pixelBytes) {
  if (!image.pixels || image.width < 1 || image.height < 1)
    return false;
  // All of it is in the address space, so that finding a row never overflows.
  auto first = uint64_t(reinterpret_cast<uintptr_t>(image.pixels));
  auto rowBytes = uint64_t(image.width) * uint64_t(pixelBytes);
  if (rowBytes > UINTPTR_MAX - first)
    return false;
  if (image.height == 1)
    return true;
  // Unsigned, where the most negative stride has an absolute value too.
  auto stride = uint64_t(image.stride);
  bool bottomUp = image.stride < 0;
  uint64_t step = bottomUp ? 0 - stride : stride;
  // Rows that overlap are a stride in pixels, or one that was forgotten.
  if (step < rowBytes)
    return false;
  uint64_t room = bottomUp ? first : UINTPTR_MAX - first - rowBytes;
  return step <= room / uint64_t(image.height - 1);
}

/// The part of a valid image to look at; an empty one if there is no such part.
static vitc_rectangle_v2 cropOf(const vitc_image_v2 &image) {
  const vitc_rectangle_v2 &crop = image.crop;
  if (crop.x == 0 && crop.y == 0 && crop.width == 0 && crop.height == 0)
    return {0, 0, image.width, image.height};
  bool inside = crop.x >= 0 && crop.y >= 0 && crop.width >= 1 &&
                crop.height >= 1 && crop.width <= image.width - crop.x &&
                crop.height <= image.height - crop.y;
  return inside ? crop : vitc_rectangle_v2{};
}

static Size resizedSize(const Preprocessing &how, Size size) {
  switch (how.resize) {
  case Resize::None:
    return size;
  case Resize::Exact:
    return {how.resizeHeight, how.resizeWidth};
  case Resize::Cover: {
    double ratio = std::min(double(size.height) / how.resizeHeight,
                            double(size.width) / how.resizeWidth);
    return {std::llrint(double(size.height) / ratio),
            std::llrint(double(size.width) / ratio)};
  }
  case Resize::ShortestEdge:
    break;
  }
  int64_t edge = how.resizeHeight;
  if (size.width <= size.height)
    return {edge * size.height / size.width, edge};
  return {edge, edge * size.width / size.height};
}

/// The centre of `size`, or all of it with zeros around. transformers leaves
/// the odd line out at the end when cropping and adds it in front when padding;
/// torchvision starts at the even line of two, and pads at the end.
static Crop centerCrop(int32_t size, int32_t wanted, bool halfToEven) {
  if (size >= wanted) {
    int32_t margin = size - wanted;
    return {margin / 2 + (halfToEven && margin % 4 == 3), 0, wanted};
  }
  return {0, (wanted - size + !halfToEven) / 2, size};
}

/// What a channel makes of each of the 256 values. A table gives the same bits
/// as computing each pixel, and leaves 256 divisions of some 50000.
static void makeValues(const Preprocessing &how, int32_t channel,
                       float *values) {
  for (int32_t pixel = 0; pixel < 256; ++pixel) {
    auto value = float(pixel * how.rescale);
    if (how.mean && how.std)
      value = (value - how.mean[channel]) / how.std[channel];
    values[pixel] = value;
  }
}

/// Writes one channel of the result; `sums` is the window with `channels`
/// interleaved, starting at the channel to read.
static void writeChannel(const Preprocessing &how, const Crop &rows,
                         const Crop &columns, const float *values,
                         const uint32_t *sums, int32_t channels,
                         float *result) {
  for (int32_t y = 0; y < how.height; ++y) {
    bool padding = y < rows.at || y >= rows.at + rows.length;
    int32_t begin = padding ? how.width : columns.at;
    int32_t end = padding ? how.width : columns.at + columns.length;
    for (int32_t x = 0; x < begin; ++x)
      *result++ = values[0];
    for (int32_t x = begin; x < end; ++x, sums += channels)
      *result++ = values[pixelOf(*sums)];
    for (int32_t x = end; x < how.width; ++x)
      *result++ = values[0];
  }
}

/// The parts of the scratch, those with the strictest alignment first.
static ResizeMemory divideScratch(const Preprocessing &how, void *scratch) {
  auto width = size_t(how.width);
  ResizeMemory memory;
  memory.table = static_cast<unsigned char *>(scratch);
  memory.columns = memory.table + filterTableBytes;
  memory.sums = reinterpret_cast<uint32_t *>(memory.columns + 8 * width);
  memory.row = reinterpret_cast<uint8_t *>(
      memory.sums + size_t(how.channels) * size_t(how.height) * width);
  return memory;
}

vitc_status preprocess(const Preprocessing &how, const vitc_image_v2 &image,
                       void *scratch, float *result) {
  Source source;
  if (!readsFormat(how.channels, image.format, source) ||
      !validPixels(image, source.pixelBytes))
    return VITC_ERROR_ARGUMENT;
  vitc_rectangle_v2 crop = cropOf(image);
  if (crop.width == 0)
    return VITC_ERROR_ARGUMENT;
  source.stride = image.stride;
  source.pixels = source.pixel(image.pixels + crop.y * image.stride, crop.x);

  // Pillow's sizes are ints too.
  Size size = resizedSize(how, {crop.height, crop.width});
  if (size.height > INT32_MAX || size.width > INT32_MAX)
    return VITC_ERROR_IMAGE_SIZE;
  auto height = int32_t(size.height), width = int32_t(size.width);
  if (!how.centerCrop && (height != how.height || width != how.width))
    return VITC_ERROR_IMAGE_SIZE;
  Crop rows = centerCrop(height, how.height, how.cropRoundsHalfToEven);
  Crop columns = centerCrop(width, how.width, how.cropRoundsHalfToEven);

  size_t area = size_t(how.height) * size_t(how.width);
  ResizeMemory memory = divideScratch(how, scratch);
  Axis horizontal(crop.width, width, how.filter);
  Axis vertical(crop.height, height, how.filter);
  Window window{rows.start, columns.start, rows.length, columns.length};
  resize({source, horizontal, vertical, window, memory});

  int32_t channels = source.resultChannels();
  for (int32_t channel = 0; channel < how.channels; ++channel) {
    float values[256];
    makeValues(how, channel, values);
    // Grey is repeated for every channel of the model.
    bool reverses = how.reversesChannels != source.blueFirst;
    int32_t from = reverses ? how.channels - 1 - channel : channel;
    const uint32_t *sums = memory.sums + (channels == 1 ? 0 : from);
    writeChannel(how, rows, columns, values, sums, channels,
                 result + area * size_t(channel));
  }
  return VITC_OK;
}

} // namespace vitc::rt
