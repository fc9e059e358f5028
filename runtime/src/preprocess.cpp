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
/// [start, …) of the resized picture, the others are padding.
struct Crop {
  int32_t start, at, length;
};

} // namespace

static bool acceptsChannels(int32_t model, int32_t image) {
  bool convertible = (model == 3 && image == 1) || (model == 1 && image == 3);
  return (model == image && image <= maxChannels) || convertible;
}

static bool validImage(const Preprocessing &how, const vitc_image_v1 &image) {
  if (!image.pixels || image.width < 1 || image.height < 1 ||
      !acceptsChannels(how.channels, image.channels))
    return false;
  // All of it is in the address space, so that finding a row never overflows.
  auto first = uint64_t(reinterpret_cast<uintptr_t>(image.pixels));
  auto rowBytes = uint64_t(image.width) * uint64_t(image.channels);
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

static Size resizedSize(const Preprocessing &how, const vitc_image_v1 &image) {
  Size size{image.height, image.width};
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

vitc_status preprocess(const Preprocessing &how, const vitc_image_v1 &image,
                       void *scratch, float *result) {
  if (!validImage(how, image))
    return VITC_ERROR_ARGUMENT;

  // Pillow's sizes are ints too.
  Size size = resizedSize(how, image);
  if (size.height > INT32_MAX || size.width > INT32_MAX)
    return VITC_ERROR_IMAGE_SIZE;
  auto height = int32_t(size.height), width = int32_t(size.width);
  if (!how.centerCrop && (height != how.height || width != how.width))
    return VITC_ERROR_IMAGE_SIZE;
  Crop rows = centerCrop(height, how.height, how.cropRoundsHalfToEven);
  Crop columns = centerCrop(width, how.width, how.cropRoundsHalfToEven);

  Source source{image.pixels, image.stride, image.channels,
                how.channels == 1 && image.channels == 3};
  size_t area = size_t(how.height) * size_t(how.width);
  ResizeMemory memory = divideScratch(how, scratch);
  Axis horizontal(image.width, width, how.filter);
  Axis vertical(image.height, height, how.filter);
  Window window{rows.start, columns.start, rows.length, columns.length};
  resize({source, horizontal, vertical, window, memory});

  int32_t channels = source.resultChannels();
  for (int32_t channel = 0; channel < how.channels; ++channel) {
    float values[256];
    makeValues(how, channel, values);
    // Grey is repeated for every channel of the model.
    int32_t from = how.reversesChannels ? how.channels - 1 - channel : channel;
    const uint32_t *sums = memory.sums + (channels == 1 ? 0 : from);
    writeChannel(how, rows, columns, values, sums, channels,
                 result + area * size_t(channel));
  }
  return VITC_OK;
}

} // namespace vitc::rt
