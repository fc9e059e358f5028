// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// attention, single_query_attention and norm.
#include "Problem.h"

#include <algorithm>
#include <cmath>

using namespace vitc::measure;

/// In place.
static void softmax(std::vector<double> &scores) {
  double most = *std::max_element(scores.begin(), scores.end()), sum = 0;
  for (double &score : scores)
    sum += score = std::exp(score - most);
  for (double &score : scores)
    score /= sum;
}

void vitc::measure::makeProblem(const families::AttentionSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t batch = spec.batch, heads = spec.heads, headDim = spec.headDim,
                tokens = spec.tokens, queries = spec.queries, ldq = spec.ldq,
                ldk = spec.ldk, ldv = spec.ldv, ldo = spec.ldo, ldb = spec.ldb,
                masks = spec.masks, width = spec.width();
  // Query, key and value come from one product wherever they can.
  if (ldq == ldk && ldk == ldv && ldq >= 3 * width && queries == tokens) {
    problem.share(*at.k, *at.q, size_t(width));
    problem.share(*at.v, *at.q, size_t(2 * width));
  }
  const float *qs = problem.at(at.q), *ks = problem.at(at.k),
              *vs = problem.at(at.v);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i) {
        std::vector<double> scores(size_t(tokens), 0.0);
        for (int64_t j = 0; j < tokens; ++j) {
          double dot = 0;
          for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d)
            dot += double(qs[(b * queries + i) * ldq + d]) *
                   ks[(b * tokens + j) * ldk + d];
          scores[j] = spec.scale * dot;
          if (at.bias)
            scores[j] += at.bias->values[(h * queries + i) * ldb + j];
          if (at.mask)
            scores[j] += at.mask->values[(b % masks * queries + i) * ldb + j];
        }
        softmax(scores);
        if (at.probabilities)
          for (int64_t j = 0; j < tokens; ++j)
            at.probabilities->expected[b * spec.probBatchStride +
                                       (h * queries + i) * tokens + j] =
                scores[j];
        for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < tokens; ++j)
            sum += scores[j] * vs[(b * tokens + j) * ldv + d];
          at.out->expected[(b * queries + i) * ldo + d] = sum;
        }
      }
}

void vitc::measure::makeProblem(const families::SingleQueryAttentionSpec &spec,
                                Problem &problem) {
  auto at = problem.add(spec);
  const int64_t batch = spec.batch, heads = spec.heads, tokens = spec.tokens,
                headDim = spec.headDim, channels = spec.channels,
                ldx = spec.ldx, panel = spec.panel;
  for (Argument *weights : {at.key, at.value})
    scale(*weights, 1.7 / std::sqrt(double(channels)));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<double> u(size_t(channels), 0.0), z(size_t(channels), 0.0),
          scores(size_t(tokens), 0.0);
      for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d)
        for (int64_t c = 0; c < channels; ++c)
          u[c] += double(at.query->values[b * spec.ldq + d]) *
                  at.key->values[d * spec.ldk + c];
      const float *rows = problem.at(at.x) + b * spec.batchStride;
      for (int64_t j = 0; j < tokens; ++j)
        for (int64_t c = 0; c < channels; ++c)
          scores[j] += spec.scale * rows[j * ldx + c] * u[c];
      softmax(scores);
      for (int64_t j = 0; j < tokens; ++j)
        for (int64_t c = 0; c < channels; ++c)
          z[c] += scores[j] * rows[j * ldx + c];
      for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d) {
        double sum = 0;
        for (int64_t c = 0; c < channels; ++c)
          sum +=
              z[c] *
              at.value->values[(d / panel * channels + c) * panel + d % panel];
        at.out->expected[b * spec.ldo + d] = sum;
      }
    }
}

void vitc::measure::makeProblem(const families::NormSpec &spec,
                                Problem &problem) {
  using families::NormKind;
  auto at = problem.add(spec);
  const int64_t cols = spec.cols, size = cols / spec.groups;
  for (int64_t r = 0; r < spec.rows; ++r)
    for (int64_t first = 0; first < cols; first += size) {
      const float *run = at.x->values.data() + r * spec.ldx + first;
      double mean = 0, squares = 0;
      if (spec.kind == NormKind::Layer)
        for (int64_t c = 0; c < size; ++c)
          mean += run[c] / double(size);
      for (int64_t c = 0; c < size; ++c)
        squares += (run[c] - mean) * (run[c] - mean);
      double divisor = spec.kind == NormKind::L2
                           ? std::max(std::sqrt(squares), spec.eps)
                           : std::sqrt(squares / double(size) + spec.eps);
      for (int64_t c = 0; c < size; ++c)
        at.out->expected[r * spec.ldy + first + c] =
            (run[c] - mean) / divisor *
                (at.gain ? at.gain->values[first + c] : 1) +
            (at.bias ? at.bias->values[first + c] : 0);
    }
}
