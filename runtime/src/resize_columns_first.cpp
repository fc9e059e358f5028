// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Vertically, then horizontally. The image is cut into strips of some
/// columns and the window into chunks of rows, so that the sums of a strip and
/// a chunk fit into the table. When they are complete, each column of the strip
/// is rounded and added to every column of the window that it is part of.
#include "resize.h"

namespace vitc::rt {

namespace {

/// Samples (channels of pixels) in a row of a strip: enough for long vector
/// loops, few enough for chunks of a whole window of usual height.
constexpr int32_t stripSamples = 256;

/// The sums of one strip for one chunk: [rows][pixels][channels].
struct Strip {
  uint32_t *sums;
  int32_t left, pixels; ///< columns of the image
  int32_t top, rows;    ///< rows of the window
};

} // namespace

/// The samples of some pixels, one behind the other.
static void pack(const Source &source, const uint8_t *in, int32_t pixels,
                 uint8_t *out) {
  if (source.toGrey) {
    for (int32_t x = 0; x < pixels; ++x)
      out[x] = uint8_t(source.grey(source.pixel(in, x)));
    return;
  }
  for (int32_t x = 0; x < pixels; ++x)
    for (int32_t channel = 0; channel < source.channels; ++channel)
      *out++ = source.pixel(in, x)[channel];
}

/// Resizes the columns of a strip; leaves pixels instead of sums.
static void resizeStrip(const ResizeJob &job, const RowWeights &rowWeights,
                        const Strip &strip) {
  const Source &source = job.source;
  auto samples = size_t(strip.pixels) * size_t(source.resultChannels());
  size_t sumCount = samples * size_t(strip.rows);
  for (size_t index = 0; index < sumCount; ++index)
    strip.sums[index] = emptySum;

  AxisSweep rows(job.vertical, job.window.top + strip.top, strip.rows);
  while (rows.next()) {
    const uint8_t *in = source.pixel(source.row(rows.pixel()), strip.left);
    uint8_t packed[stripSamples];
    if (!source.isPacked()) {
      pack(source, in, strip.pixels, packed);
      in = packed;
    }
    for (int32_t out = rows.begin(); out < rows.end(); ++out)
      addWeighted(in, rowWeights.weight(strip.top + out, rows.pixel()), samples,
                  strip.sums + samples * size_t(out));
  }

  for (size_t index = 0; index < sumCount; ++index)
    strip.sums[index] = pixelOf(strip.sums[index]);
}

/// Adds the column that `columns` is at, which is one of the strip's.
static void addColumn(const ResizeJob &job, const Strip &strip,
                      const AxisSweep &columns, const double *columnTotals) {
  auto channels = size_t(job.source.resultChannels());
  size_t stripStride = channels * size_t(strip.pixels);
  const uint32_t *pixels =
      strip.sums + channels * size_t(columns.pixel() - strip.left);
  uint32_t *sums = job.memory.sums + job.rowSamples() * size_t(strip.top);
  for (int32_t out = columns.begin(); out < columns.end(); ++out) {
    auto weight = uint32_t(job.horizontal.weight(
        job.window.left + out, columns.pixel(), columnTotals[out]));
    uint32_t *sum = sums + channels * size_t(out);
    const uint32_t *pixel = pixels;
    for (int32_t row = 0; row < strip.rows; ++row) {
      for (size_t channel = 0; channel < channels; ++channel)
        sum[channel] += pixel[channel] * weight;
      sum += job.rowSamples();
      pixel += stripStride;
    }
  }
}

/// Goes through the columns of the image for one chunk of rows.
static void resizeChunk(const ResizeJob &job, const RowWeights &rowWeights,
                        const double *columnTotals, Strip strip) {
  int32_t stripPixels = strip.pixels;
  AxisSweep columns(job.horizontal, job.window.left, job.window.width);
  for (bool more = columns.next(); more;) {
    int32_t left = job.horizontal.size() - columns.pixel();
    strip.left = columns.pixel();
    strip.pixels = left < stripPixels ? left : stripPixels;
    resizeStrip(job, rowWeights, strip);
    do {
      addColumn(job, strip, columns, columnTotals);
      more = columns.next();
    } while (more && columns.pixel() < strip.left + strip.pixels);
  }
}

void resizeColumnsFirst(const ResizeJob &job) {
  auto *columnTotals = reinterpret_cast<double *>(job.memory.columns);
  for (int32_t column = 0; column < job.window.width; ++column)
    columnTotals[column] = job.horizontal.total(job.window.left + column);

  RowWeights rowWeights(job);
  int32_t channels = job.source.resultChannels();
  Strip strip;
  strip.sums = reinterpret_cast<uint32_t *>(rowWeights.freeTable());
  strip.pixels = channels < stripSamples ? stripSamples / channels : 1;
  auto capacity = int32_t(rowWeights.freeBytes() / sizeof(uint32_t));
  int32_t chunkRows = capacity / (strip.pixels * channels);
  for (strip.top = 0; strip.top < job.window.height; strip.top += chunkRows) {
    int32_t left = job.window.height - strip.top;
    strip.rows = left < chunkRows ? left : chunkRows;
    resizeChunk(job, rowWeights, columnTotals, strip);
  }
}

} // namespace vitc::rt
