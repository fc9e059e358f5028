// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operations.h"

#include "vitc/Dialect/ViT/IR/Activations.h"

#include "families/Functions.h"

#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace vitc;
using namespace vitc::reference;

Tensor::Tensor(llvm::ArrayRef<int64_t> shape)
    : shape(shape.begin(), shape.end()),
      data(std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<int64_t>())) {}

/// Four partial sums, so that the additions need not wait for one another.
static double dot(const double *a, const double *b, int64_t count) {
  double sum[4] = {};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int lane = 0; lane < 4; ++lane)
      sum[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i)
    sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void softmaxInPlace(double *values, int64_t count) {
  double largest = *std::max_element(values, values + count), sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += values[i] = std::exp(values[i] - largest);
  for (int64_t i = 0; i < count; ++i)
    values[i] /= sum;
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

Tensor reference::patchEmbed(const Tensor &image, const Tensor &weight,
                             const Tensor *bias, const Tensor *position) {
  int64_t channels = image.dim(1), height = image.dim(2), width = image.dim(3);
  int64_t patchHeight = weight.dim(2), patchWidth = weight.dim(3);
  int64_t gridHeight = height / patchHeight, gridWidth = width / patchWidth,
          patches = gridHeight * gridWidth;

  Tensor pixels({image.dim(0), patches, channels * patchHeight * patchWidth});
  for (int64_t n = 0; n < image.dim(0); ++n)
    for (int64_t p = 0; p < patches; ++p) {
      double *to = pixels.row(n * patches + p);
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t y = 0; y < patchHeight; ++y)
          for (int64_t x = 0; x < patchWidth; ++x)
            *to++ = image.data[((n * channels + c) * height +
                                p / gridWidth * patchHeight + y) *
                                   width +
                               p % gridWidth * patchWidth + x];
    }
  Tensor matrix = weight;
  matrix.shape = {weight.dim(0), pixels.dim(-1)};
  Tensor tokens = linear(pixels, matrix, bias);
  return position ? addPosition(tokens, *position) : tokens;
}

Tensor reference::concatTokens(const Tensor &tokens, const Tensor &sequence) {
  Tensor result(
      {sequence.dim(0), tokens.dim(1) + sequence.dim(1), sequence.dim(2)});
  auto to = result.data.begin();
  for (int64_t n = 0; n < sequence.dim(0); ++n) {
    to = std::copy(tokens.data.begin(), tokens.data.end(), to);
    int64_t size = sequence.dim(1) * sequence.dim(2);
    to = std::copy_n(sequence.data.begin() + n * size, size, to);
  }
  return result;
}

Tensor reference::addPosition(const Tensor &sequence, const Tensor &position) {
  Tensor result = sequence;
  for (size_t i = 0; i < result.data.size(); ++i)
    result.data[i] += position.data[i % position.data.size()];
  return result;
}

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

/// x of `count` channels, normalised in place.
static void normalise(double *x, int64_t count, double eps,
                      vit::NormKind kind) {
  double mean = 0, squares = 0;
  if (kind == vit::NormKind::Layer)
    mean = std::accumulate(x, x + count, 0.0) / count;
  for (int64_t c = 0; c < count; ++c)
    squares += (x[c] - mean) * (x[c] - mean);
  double divisor = kind == vit::NormKind::L2 ? std::max(std::sqrt(squares), eps)
                                             : std::sqrt(squares / count + eps);
  for (int64_t c = 0; c < count; ++c)
    x[c] = (x[c] - mean) / divisor;
}

Tensor reference::layerNorm(const Tensor &input, const Tensor *gain,
                            const Tensor *bias, double eps, vit::NormKind kind,
                            int64_t groups) {
  Tensor result = input;
  int64_t channels = input.dim(-1), size = channels / groups;
  for (int64_t r = 0; r < input.rows(); ++r) {
    double *x = result.row(r);
    for (int64_t g = 0; g < groups; ++g)
      normalise(x + g * size, size, eps, kind);
    for (int64_t c = 0; c < channels; ++c)
      x[c] = x[c] * (gain ? gain->data[c] : 1) + (bias ? bias->data[c] : 0);
  }
  return result;
}

Tensor reference::linear(const Tensor &input, const Tensor &weight,
                         const Tensor *bias) {
  std::vector<int64_t> shape = input.shape;
  shape.back() = weight.dim(0);
  Tensor result(shape);
  int64_t outputs = weight.dim(0), channels = weight.dim(1);
  // A few outputs at a time, so that their weights stay in the cache while all
  // rows pass by.
  constexpr int64_t block = 16;
  llvm::parallelFor(0, (outputs + block - 1) / block, [&](size_t b) {
    for (int64_t r = 0; r < input.rows(); ++r)
      for (int64_t o = b * block;
           o < std::min<int64_t>((b + 1) * block, outputs); ++o)
        result.row(r)[o] = dot(input.row(r), weight.row(o), channels) +
                           (bias ? bias->data[o] : 0);
  });
  return result;
}

Tensor reference::quantize(Tensor input, vit::Format format) {
  // A row of weights is an output channel's.
  int64_t rows = format == vit::Format::I8Rows ? input.dim(0) : input.rows();
  llvm::MutableArrayRef<double> data(input.data);
  size_t columns = data.size() / rows;
  for (int64_t r = 0; r < rows; ++r)
    vit::roundRow(data.slice(r * columns, columns), format);
  return input;
}

Tensor reference::activate(Tensor input, vit::Activation function) {
  const families::Activation known = vit::definitionOf(function);
  for (double &x : input.data)
    x = families::evaluate(known, x);
  return input;
}

Tensor reference::attention(const Tensor &query, const Tensor &key,
                            const Tensor &value, const Tensor *bias,
                            const Tensor *mask, int64_t heads, double scale,
                            Tensor *probabilities) {
  int64_t images = key.dim(0), queries = query.dim(1), keys = key.dim(1),
          headDim = query.dim(2) / heads;
  Tensor result({images, queries, query.dim(2)});
  llvm::parallelFor(0, images * heads, [&](size_t index) {
    int64_t n = index / heads, h = index % heads;
    int64_t set = query.dim(0) == 1 ? 0 : n; // of queries
    std::vector<double> p(keys);
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t j = 0; j < keys; ++j) {
        p[j] = scale * dot(query.row(set * queries + i) + h * headDim,
                           key.row(n * keys + j) + h * headDim, headDim);
        if (bias)
          p[j] += bias->row(h * queries + i)[j];
        if (mask)
          p[j] += mask->row(n % mask->dim(0) * queries + i)[j];
      }
      softmaxInPlace(p.data(), keys);
      double *out = result.row(n * queries + i) + h * headDim;
      for (int64_t j = 0; j < keys; ++j)
        for (int64_t d = 0; d < headDim; ++d)
          out[d] += p[j] * (value.row(n * keys + j) + h * headDim)[d];
      if (probabilities)
        std::copy(p.begin(), p.end(),
                  probabilities->row((n * heads + h) * queries + i));
    }
  });
  return result;
}

Tensor reference::rotate(const Tensor &input, const Tensor &cos,
                         const Tensor &sin, int64_t heads,
                         vit::RotaryPairing pairing) {
  int64_t tokens = input.dim(1), size = input.dim(2) / heads, half = size / 2;
  Tensor result(input.shape);
  for (int64_t r = 0; r < input.rows(); ++r)
    for (int64_t h = 0; h < heads; ++h) {
      const double *x = input.row(r) + h * size;
      int64_t entry = h % cos.dim(0) * tokens + r % tokens;
      for (int64_t d = 0; d < size; ++d) {
        double partner = pairing == vit::RotaryPairing::Interleaved
                             ? (d % 2 ? x[d - 1] : -x[d + 1])
                             : (d < half ? -x[d + half] : x[d - half]);
        result.row(r)[h * size + d] =
            x[d] * cos.row(entry)[d] + partner * sin.row(entry)[d];
      }
    }
  return result;
}

Tensor reference::affine(Tensor input, const Tensor &scale,
                         const Tensor *shift) {
  for (int64_t r = 0; r < input.rows(); ++r)
    for (int64_t c = 0; c < input.dim(-1); ++c)
      input.row(r)[c] =
          input.row(r)[c] * scale.data[c] + (shift ? shift->data[c] : 0);
  return input;
}

Tensor reference::gate(Tensor input, const Tensor &gate,
                       vit::Activation activation) {
  int64_t rowsPerGate = input.rows() / gate.rows();
  const families::Activation known = vit::definitionOf(activation);
  for (int64_t r = 0; r < input.rows(); ++r)
    for (int64_t c = 0; c < input.dim(-1); ++c)
      input.row(r)[c] *=
          families::evaluate(known, gate.row(r / rowsPerGate)[c]);
  return input;
}

/// Through keys and values that are formed after all: the plain definition.
Tensor reference::singleQueryAttention(const Tensor &sequence,
                                       const Tensor &query, const Tensor &key,
                                       const Tensor &value, int64_t heads,
                                       double scale) {
  Tensor keys = linear(sequence, key, nullptr),
         values = linear(sequence, value, nullptr);
  int64_t images = sequence.dim(0), tokens = sequence.dim(1),
          headDim = key.dim(0) / heads;
  Tensor result(query.shape);
  for (int64_t n = 0; n < images; ++n)
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<double> p(tokens);
      for (int64_t j = 0; j < tokens; ++j)
        p[j] = scale * dot(query.row(n) + h * headDim,
                           keys.row(n * tokens + j) + h * headDim, headDim);
      softmaxInPlace(p.data(), tokens);
      for (int64_t j = 0; j < tokens; ++j)
        for (int64_t d = 0; d < headDim; ++d)
          result.row(n)[h * headDim + d] +=
              p[j] * values.row(n * tokens + j)[h * headDim + d];
    }
  return result;
}

Tensor reference::add(Tensor lhs, const Tensor &rhs) {
  for (size_t i = 0; i < lhs.data.size(); ++i)
    lhs.data[i] += rhs.data[i];
  return lhs;
}

//===----------------------------------------------------------------------===//
// Pooling, outputs, shape
//===----------------------------------------------------------------------===//

Tensor reference::pool(const Tensor &sequence, vit::PoolKind kind,
                       int64_t first) {
  int64_t tokens = sequence.dim(1), channels = sequence.dim(2);
  int64_t count = kind == vit::PoolKind::Token ? 1 : tokens - first;
  Tensor result({sequence.dim(0), channels});
  for (int64_t n = 0; n < sequence.dim(0); ++n)
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0, most = -INFINITY;
      for (int64_t t = first; t < first + count; ++t) {
        double x = sequence.row(n * tokens + t)[c];
        sum += x;
        most = std::max(most, x);
      }
      double mean = sum / count;
      result.row(n)[c] = kind == vit::PoolKind::Max       ? most
                         : kind == vit::PoolKind::MeanMax ? (mean + most) / 2
                                                          : mean;
    }
  return result;
}

Tensor reference::softmax(Tensor input) {
  for (int64_t r = 0; r < input.rows(); ++r)
    softmaxInPlace(input.row(r), input.dim(-1));
  return input;
}

Tensor reference::stack(llvm::ArrayRef<const Tensor *> inputs) {
  std::vector<int64_t> shape = inputs.front()->shape;
  int64_t images = shape.front(), size = inputs.front()->data.size() / images;
  shape.insert(shape.begin() + 1, inputs.size());
  Tensor result(shape);
  auto to = result.data.begin();
  for (int64_t n = 0; n < images; ++n)
    for (const Tensor *input : inputs)
      to = std::copy_n(input->data.begin() + n * size, size, to);
  return result;
}

/// Elements behind one step along the dimension.
static int64_t stepOf(const Tensor &tensor, int64_t dimension) {
  return std::accumulate(tensor.shape.begin() + dimension + 1,
                         tensor.shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

Tensor reference::concat(llvm::ArrayRef<const Tensor *> inputs,
                         int64_t dimension) {
  std::vector<int64_t> shape = inputs.front()->shape;
  shape[dimension] = 0;
  for (const Tensor *input : inputs)
    shape[dimension] += input->shape[dimension];
  Tensor result(shape);
  int64_t outer = std::accumulate(shape.begin(), shape.begin() + dimension,
                                  int64_t(1), std::multiplies<int64_t>());
  auto to = result.data.begin();
  for (int64_t i = 0; i < outer; ++i)
    for (const Tensor *input : inputs) {
      int64_t size = input->shape[dimension] * stepOf(*input, dimension);
      to = std::copy_n(input->data.begin() + i * size, size, to);
    }
  return result;
}

Tensor reference::slice(const Tensor &input, int64_t dimension, int64_t offset,
                        int64_t extent) {
  std::vector<int64_t> shape = input.shape;
  shape[dimension] = extent;
  Tensor result(shape);
  int64_t step = stepOf(input, dimension), size = input.shape[dimension] * step;
  auto to = result.data.begin();
  for (auto from = input.data.begin(); from != input.data.end(); from += size)
    to = std::copy_n(from + offset * step, extent * step, to);
  return result;
}

Tensor reference::reshape(Tensor input, llvm::ArrayRef<int64_t> shape) {
  input.shape = shape.vec();
  return input;
}

Tensor reference::transpose(const Tensor &input,
                            llvm::ArrayRef<int64_t> order) {
  std::vector<int64_t> shape, steps;
  for (int64_t dimension : order) {
    shape.push_back(input.shape[dimension]);
    steps.push_back(stepOf(input, dimension));
  }
  Tensor result(shape);
  std::vector<int64_t> index(shape.size());
  for (double &element : result.data) {
    element = input.data[std::inner_product(index.begin(), index.end(),
                                            steps.begin(), int64_t(0))];
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic on parameters
//===----------------------------------------------------------------------===//

Tensor reference::fill(llvm::ArrayRef<int64_t> shape, double value) {
  Tensor result(shape);
  std::fill(result.data.begin(), result.data.end(), value);
  return result;
}

Tensor reference::scale(Tensor input, double factor) {
  for (double &x : input.data)
    x *= factor;
  return input;
}

Tensor reference::scaleColumns(Tensor matrix, const Tensor &factors) {
  for (int64_t r = 0; r < matrix.rows(); ++r)
    for (int64_t c = 0; c < matrix.dim(-1); ++c)
      matrix.row(r)[c] *= factors.data[c];
  return matrix;
}

Tensor reference::scaleRows(Tensor tensor, const Tensor &factors) {
  int64_t size = tensor.data.size() / factors.data.size();
  for (size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] *= factors.data[i / size];
  return tensor;
}

Tensor reference::exp(Tensor input, double limit) {
  for (double &x : input.data)
    x = std::exp(std::min(x, limit));
  return input;
}

Tensor reference::inverseRoot(Tensor input, double eps) {
  for (double &x : input.data)
    x = 1 / std::sqrt(x + eps);
  return input;
}

Tensor reference::standardize(Tensor weight, double eps) {
  int64_t size = weight.data.size() / weight.dim(0);
  for (int64_t o = 0; o < weight.dim(0); ++o)
    normalise(weight.data.data() + o * size, size, eps, vit::NormKind::Layer);
  return weight;
}
