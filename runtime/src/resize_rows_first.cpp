// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Horizontally, then vertically: a row of the image is resized and rounded,
/// then added to every row of the window that it is part of.
#include "resize.h"

namespace vitc::rt {

namespace {

/// Consecutive columns of the window whose weights are in the table together;
/// nearly always, that is all of them.
struct Block {
  int32_t begin, end;
  const int32_t *weights; ///< column after column; null: not in the table
};

} // namespace

/// Resizes one channel of a row. Pixels are `outStep` bytes apart in the
/// result.
static void resizeChannel(const uint8_t *in, int32_t pixelBytes,
                          const Span *columns, int32_t count,
                          const int32_t *weights, uint8_t *out,
                          int32_t outStep) {
  for (int32_t column = 0; column < count; ++column) {
    Span span = columns[column];
    const uint8_t *pixel = in + ptrdiff_t(span.first) * pixelBytes;
    uint32_t sum = emptySum;
    for (int32_t tap = 0; tap < span.count; ++tap, pixel += pixelBytes)
      sum += *pixel * uint32_t(weights[tap]);
    *out = pixelOf(sum);
    weights += span.count;
    out += outStep;
  }
}

/// Resizes the grey of a row of colours. The format is a constant of the loop,
/// or it would be asked at every pixel.
template <int32_t PixelBytes, bool BlueFirst>
static void resizeGrey(const uint8_t *in, const Span *columns, int32_t count,
                       const int32_t *weights, uint8_t *out) {
  for (int32_t column = 0; column < count; ++column) {
    Span span = columns[column];
    const uint8_t *pixel = in + ptrdiff_t(span.first) * PixelBytes;
    uint32_t sum = emptySum;
    for (int32_t tap = 0; tap < span.count; ++tap, pixel += PixelBytes)
      sum += Source::greyOf(pixel[BlueFirst ? 2 : 0], pixel[1],
                            pixel[BlueFirst ? 0 : 2]) *
             uint32_t(weights[tap]);
    *out++ = pixelOf(sum);
    weights += span.count;
  }
}

/// Resizes a row of three channels at once. Three variables, not an array:
/// compilers keep them in registers at every level of optimisation.
template <int32_t PixelBytes>
static void resizeColours(const uint8_t *in, const Span *columns, int32_t count,
                          const int32_t *weights, uint8_t *out) {
  for (int32_t column = 0; column < count; ++column, out += 3) {
    Span span = columns[column];
    const uint8_t *pixel = in + ptrdiff_t(span.first) * PixelBytes;
    const int32_t *end = weights + span.count;
    uint32_t first = emptySum, second = emptySum, third = emptySum;
    for (; weights != end; ++weights, pixel += PixelBytes) {
      auto weight = uint32_t(*weights);
      first += pixel[0] * weight;
      second += pixel[1] * weight;
      third += pixel[2] * weight;
    }
    out[0] = pixelOf(first);
    out[1] = pixelOf(second);
    out[2] = pixelOf(third);
  }
}

/// One column with more taps than the table holds: each weight is made when it
/// is used.
static void resizeWideColumn(const ResizeJob &job, int32_t column, Span span,
                             const uint8_t *in, uint8_t *out) {
  const Source &source = job.source;
  int32_t position = job.window.left + column;
  double total = job.horizontal.total(position);
  for (int32_t channel = 0; channel < source.resultChannels(); ++channel) {
    uint32_t sum = emptySum;
    for (int32_t tap = span.first; tap < span.last(); ++tap) {
      const uint8_t *pixel = source.pixel(in, tap);
      sum += (source.toGrey ? source.grey(pixel) : pixel[channel]) *
             uint32_t(job.horizontal.weight(position, tap, total));
    }
    out[channel] = pixelOf(sum);
  }
}

static void resizeRow(const ResizeJob &job, const Block &block,
                      const Span *columns, const uint8_t *in, uint8_t *out) {
  int32_t count = block.end - block.begin;
  const Source &source = job.source;
  bool wide = source.pixelBytes == 4;
  columns += block.begin;
  if (!block.weights) {
    resizeWideColumn(job, block.begin, columns[0], in, out);
  } else if (source.toGrey) {
    auto resize = source.blueFirst
                      ? wide ? resizeGrey<4, true> : resizeGrey<3, true>
                  : wide ? resizeGrey<4, false>
                         : resizeGrey<3, false>;
    resize(in, columns, count, block.weights, out);
  } else if (source.channels == 3) {
    auto resize = wide ? resizeColours<4> : resizeColours<3>;
    resize(in, columns, count, block.weights, out);
  } else {
    for (int32_t channel = 0; channel < source.channels; ++channel)
      resizeChannel(in + channel, source.pixelBytes, columns, count,
                    block.weights, out + channel, source.channels);
  }
}

/// Puts the weights of as many columns as fit into the table.
static Block makeBlock(const ResizeJob &job, const Span *columns, int32_t begin,
                       int32_t *weights, size_t capacity) {
  int32_t end = begin;
  for (size_t used = 0; end < job.window.width; ++end) {
    Span span = columns[end];
    if (used + size_t(span.count) > capacity)
      break;
    job.horizontal.weights(job.window.left + end, span, weights + used);
    used += size_t(span.count);
  }
  if (end == begin)
    return {begin, begin + 1, nullptr};
  return {begin, end, weights};
}

/// Goes through the rows of the image for the columns of one block.
static void resizeBlock(const ResizeJob &job, const Block &block,
                        const Span *columns, const RowWeights &rowWeights) {
  auto channels = size_t(job.source.resultChannels());
  size_t samples = channels * size_t(block.end - block.begin);
  uint32_t *sums = job.memory.sums + channels * size_t(block.begin);
  AxisSweep rows(job.vertical, job.window.top, job.window.height);
  while (rows.next()) {
    resizeRow(job, block, columns, job.source.row(rows.pixel()),
              job.memory.row);
    for (int32_t out = rows.begin(); out < rows.end(); ++out)
      addWeighted(job.memory.row, rowWeights.weight(out, rows.pixel()), samples,
                  sums + job.rowSamples() * size_t(out));
  }
}

void resizeRowsFirst(const ResizeJob &job) {
  auto *columns = reinterpret_cast<Span *>(job.memory.columns);
  AxisCursor cursor(job.horizontal, job.window.left);
  for (int32_t column = 0; column < job.window.width; ++column, cursor.next())
    columns[column] = cursor.span();

  RowWeights rowWeights(job);
  auto *weights = reinterpret_cast<int32_t *>(rowWeights.freeTable());
  size_t capacity = rowWeights.freeBytes() / sizeof(int32_t);
  for (int32_t begin = 0; begin < job.window.width;) {
    Block block = makeBlock(job, columns, begin, weights, capacity);
    resizeBlock(job, block, columns, rowWeights);
    begin = block.end;
  }
}

} // namespace vitc::rt
