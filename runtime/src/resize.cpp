/// Pillow resizes the whole picture horizontally, rounds to 8 bits, then
/// resizes the result vertically. Here a row of the picture is resized
/// horizontally, rounded, and added at once to every row of the result that it
/// is part of, so one row has to be kept instead of all. The integer sums are
/// the same in any order.
///
/// Sums are unsigned so that a wrap is defined. None happens in pictures of
/// fewer than 2^22 pixels a side.
#include "resize.h"

namespace vitc::rt {

namespace {

/// Consecutive columns of the window whose weights are in the table together.
struct Block {
  int32_t begin, end;
  const int32_t *weights; ///< column after column; null: not in the table
};

/// One resize on its way.
class Resizer {
public:
  Resizer(const Source &source, const Axis &horizontal, const Axis &vertical,
          const Window &window, const ResizeMemory &memory);
  void run();

private:
  Block makeBlock(int32_t begin);
  void resizeColumns(const Block &block);
  void resizeRow(const Block &block, const uint8_t *in, uint8_t *out);

  const Source &source;
  const Axis &horizontal;
  const Axis &vertical;
  const Window &window;
  const ResizeMemory &memory;
  int32_t channels; ///< of the result
  double *totals;   ///< of the rows of the window, or null
  int32_t *weights; ///< the table of the current block
  int64_t weightCapacity;
};

} // namespace

/// Pillow's grey: the weights of ITU-R 601-2 with 16 bits after the point.
static uint32_t greyOf(const uint8_t *rgb) {
  return (rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16;
}

/// Resizes `Channels` interleaved channels of one row. Pixels are `step` bytes
/// apart on both sides, except that grey has one byte a pixel in the result.
template <int Channels, bool ToGrey>
static void resizeRowChannels(const uint8_t *in, int32_t step,
                              const Span *columns, int32_t count,
                              const int32_t *weights, uint8_t *out) {
  for (int32_t column = 0; column < count; ++column) {
    Span span = columns[column];
    const uint8_t *pixel = in + ptrdiff_t(span.first) * step;
    uint32_t sums[Channels];
    for (uint32_t &sum : sums)
      sum = emptySum;
    for (int32_t tap = 0; tap < span.count; ++tap, pixel += step)
      for (int channel = 0; channel < Channels; ++channel)
        sums[channel] +=
            (ToGrey ? greyOf(pixel) : pixel[channel]) * uint32_t(weights[tap]);
    for (int channel = 0; channel < Channels; ++channel)
      out[channel] = pixelOf(sums[channel]);
    weights += span.count;
    out += ToGrey ? 1 : step;
  }
}

/// One column whose weights do not fit into the table (more than 60000 taps):
/// each is made when it is used.
static void resizeWideColumn(const Axis &axis, int32_t out,
                             const Source &source, const uint8_t *in, Span span,
                             int32_t channels, uint8_t *result) {
  double total = axis.total(out);
  for (int32_t channel = 0; channel < channels; ++channel) {
    uint32_t sum = emptySum;
    for (int32_t tap = span.first; tap < span.last(); ++tap) {
      const uint8_t *pixel = in + ptrdiff_t(tap) * source.channels;
      sum += (source.toGrey ? greyOf(pixel) : pixel[channel]) *
             uint32_t(axis.weight(out, tap, total));
    }
    result[channel] = pixelOf(sum);
  }
}

/// Adds a row with its weight to the sums of a row of the result.
static void addRow(const uint8_t *__restrict row, int32_t weight, size_t count,
                   uint32_t *__restrict sums) {
  for (size_t index = 0; index < count; ++index)
    sums[index] += row[index] * uint32_t(weight);
}

Resizer::Resizer(const Source &source, const Axis &horizontal,
                 const Axis &vertical, const Window &window,
                 const ResizeMemory &memory)
    : source(source), horizontal(horizontal), vertical(vertical),
      window(window), memory(memory),
      channels(source.toGrey ? 1 : source.channels) {
  // The table begins with the totals of the rows. A result of more rows than
  // this goes without, and sums them again and again.
  constexpr size_t maxTotalsBytes = filterTableBytes / 4;
  size_t totalsBytes = sizeof(double) * size_t(window.height);
  if (totalsBytes > maxTotalsBytes)
    totalsBytes = 0;
  totals = totalsBytes ? reinterpret_cast<double *>(memory.table) : nullptr;
  weights = reinterpret_cast<int32_t *>(memory.table + totalsBytes);
  weightCapacity = int64_t((filterTableBytes - totalsBytes) / sizeof(int32_t));
}

/// Fills the table for as many columns as fit.
Block Resizer::makeBlock(int32_t begin) {
  int32_t end = begin;
  int64_t used = 0;
  for (; end < window.width; ++end) {
    Span span = memory.columns[end];
    if (used + span.count > weightCapacity)
      break;
    horizontal.weights(window.left + end, span, weights + used);
    used += span.count;
  }
  if (end > begin)
    return {begin, end, weights};
  return {begin, begin + 1, nullptr};
}

void Resizer::resizeRow(const Block &block, const uint8_t *in, uint8_t *out) {
  const Span *columns = memory.columns + block.begin;
  int32_t count = block.end - block.begin;
  if (!block.weights)
    resizeWideColumn(horizontal, window.left + block.begin, source, in,
                     columns[0], channels, out);
  else if (source.toGrey)
    resizeRowChannels<1, true>(in, 3, columns, count, block.weights, out);
  else if (channels == 3)
    resizeRowChannels<3, false>(in, 3, columns, count, block.weights, out);
  else
    for (int32_t channel = 0; channel < channels; ++channel)
      resizeRowChannels<1, false>(in + channel, channels, columns, count,
                                  block.weights, out + channel);
}

/// Goes through the rows of the picture for the columns of one block. `lead`
/// and `trail` bound the rows of the result that the current row is part of.
void Resizer::resizeColumns(const Block &block) {
  size_t rowBytes = size_t(channels) * size_t(block.end - block.begin);
  size_t sumsOffset = size_t(channels) * size_t(block.begin);
  size_t sumsStride = size_t(channels) * size_t(window.width);
  AxisCursor lead(vertical, window.top), trail = lead;
  int32_t begin = 0, end = 0;
  for (int32_t row = lead.span().first;; ++row) {
    for (; end < window.height && lead.span().first <= row; lead.next()) {
      if (totals && vertical.mixes())
        totals[end] = vertical.total(window.top + end);
      ++end;
    }
    for (; begin < end && trail.span().last() <= row; trail.next())
      ++begin;
    if (begin == window.height)
      return;
    if (begin == end) {
      // Nobody wants this row: the nearest filter leaves rows out.
      row = lead.span().first - 1;
      continue;
    }
    resizeRow(block, source.pixels + ptrdiff_t(row) * source.stride,
              memory.row);
    for (int32_t out = begin; out < end; ++out) {
      double total = !vertical.mixes() ? 1.0
                     : totals          ? totals[out]
                                       : vertical.total(window.top + out);
      addRow(memory.row, vertical.weight(window.top + out, row, total),
             rowBytes, memory.sums + sumsStride * size_t(out) + sumsOffset);
    }
  }
}

void Resizer::run() {
  AxisCursor column(horizontal, window.left);
  for (int32_t x = 0; x < window.width; ++x, column.next())
    memory.columns[x] = column.span();

  size_t sums = size_t(channels) * size_t(window.width) * size_t(window.height);
  for (size_t index = 0; index < sums; ++index)
    memory.sums[index] = emptySum;

  for (int32_t begin = 0; begin < window.width;) {
    Block block = makeBlock(begin);
    resizeColumns(block);
    begin = block.end;
  }
}

void resize(const Source &source, const Axis &horizontal, const Axis &vertical,
            const Window &window, const ResizeMemory &memory) {
  Resizer(source, horizontal, vertical, window, memory).run();
}

} // namespace vitc::rt
