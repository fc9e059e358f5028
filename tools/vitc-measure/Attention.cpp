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

void vitc::measure::makeAttention(const Spec &spec, Problem &problem) {
  const int64_t batch = spec["batch"], heads = spec["heads"],
                headDim = spec["head_dim"], tokens = spec["tokens"],
                queries = spec["queries"] ? spec["queries"] : tokens,
                ldq = spec["ldq"], ldk = spec["ldk"], ldv = spec["ldv"],
                ldo = spec["ldo"], ldb = spec["ldb"], masks = spec["masks"];
  const int64_t width = heads * headDim;
  // Query, key and value come from one product wherever they can.
  bool together =
      ldq == ldk && ldk == ldv && ldq >= 3 * width && queries == tokens;
  size_t q = problem.input(size_t(batch * queries * ldq));
  size_t k = together ? problem.columns(q, size_t(width))
                      : problem.input(size_t(batch * tokens * ldk));
  size_t v = together ? problem.columns(q, size_t(2 * width))
                      : problem.input(size_t(batch * tokens * ldv));
  int bias = spec.flag("bias")
                 ? int(problem.weights(size_t(heads * queries * ldb)))
                 : -1;
  int mask = masks ? int(problem.weights(size_t(masks * queries * ldb))) : -1;
  problem.scratch(size_t(batch * heads * headDim * roundUp(tokens, 32)));
  int64_t mapStride = spec["prob_batch_stride"],
          mapFloats = heads * queries * tokens;
  int maps =
      spec.flag("probabilities")
          ? int(problem.output(size_t((batch - 1) * mapStride + mapFloats)))
          : -1;
  size_t out = problem.output(size_t(batch * queries * ldo));
  const float *qs = problem.at(q), *ks = problem.at(k), *vs = problem.at(v);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i) {
        std::vector<double> scores(size_t(tokens), 0.0);
        for (int64_t j = 0; j < tokens; ++j) {
          double dot = 0;
          for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d)
            dot += double(qs[(b * queries + i) * ldq + d]) *
                   ks[(b * tokens + j) * ldk + d];
          scores[j] = spec.number("scale") * dot;
          if (bias >= 0)
            scores[j] += problem.at(bias)[(h * queries + i) * ldb + j];
          if (mask >= 0)
            scores[j] += problem.at(mask)[(b % masks * queries + i) * ldb + j];
        }
        softmax(scores);
        if (maps >= 0)
          for (int64_t j = 0; j < tokens; ++j)
            problem.arguments[maps]
                .expected[b * mapStride + (h * queries + i) * tokens + j] =
                scores[j];
        for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < tokens; ++j)
            sum += scores[j] * vs[(b * tokens + j) * ldv + d];
          problem.arguments[out].expected[(b * queries + i) * ldo + d] = sum;
        }
      }
}

void vitc::measure::makeSingleQueryAttention(const Spec &spec,
                                             Problem &problem) {
  const int64_t batch = spec["batch"], heads = spec["heads"],
                tokens = spec["tokens"], headDim = spec["head_dim"],
                channels = spec["channels"], ldx = spec["ldx"],
                ldk = spec["ldk"], panel = spec["panel"],
                width = heads * headDim;
  const int64_t stride = spec["batch_stride"];
  float scale = float(1.7 / std::sqrt(double(channels)));
  size_t x = problem.input(size_t((batch - 1) * stride + tokens * ldx));
  size_t query = problem.input(size_t(batch * spec["ldq"]));
  size_t key = problem.weights(size_t(width * ldk), scale);
  size_t value =
      problem.weights(size_t(roundUp(width, panel) * channels), scale);
  problem.scratch(size_t(batch * heads *
                         (2 * roundUp(channels, 32) + roundUp(tokens, 32))));
  size_t out = problem.output(size_t(batch * spec["ldo"]));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<double> u(size_t(channels), 0.0), z(size_t(channels), 0.0),
          scores(size_t(tokens), 0.0);
      for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d)
        for (int64_t c = 0; c < channels; ++c)
          u[c] += double(problem.at(query)[b * spec["ldq"] + d]) *
                  problem.at(key)[d * ldk + c];
      const float *rows = problem.at(x) + b * stride;
      for (int64_t j = 0; j < tokens; ++j)
        for (int64_t c = 0; c < channels; ++c)
          scores[j] += spec.number("scale") * rows[j * ldx + c] * u[c];
      softmax(scores);
      for (int64_t j = 0; j < tokens; ++j)
        for (int64_t c = 0; c < channels; ++c)
          z[c] += scores[j] * rows[j * ldx + c];
      for (int64_t d = h * headDim; d < (h + 1) * headDim; ++d) {
        double sum = 0;
        for (int64_t c = 0; c < channels; ++c)
          sum +=
              z[c] *
              problem.at(value)[(d / panel * channels + c) * panel + d % panel];
        problem.arguments[out].expected[b * spec["ldo"] + d] = sum;
      }
    }
}

void vitc::measure::makeNorm(const Spec &spec, Problem &problem) {
  const int64_t rows = spec["rows"], cols = spec["cols"], ldx = spec["ldx"],
                ldy = spec["ldy"];
  const int64_t groups = std::max<int64_t>(1, spec["groups"]),
                size = cols / groups;
  std::string kind = spec.word("kind");
  bool gains = spec.flag("affine"),
       shifts = gains && (spec.has("shift") ? spec.flag("shift") : true);
  double eps = spec.number("eps");
  constexpr int64_t padding = 16;
  size_t x = problem.input(size_t(rows * ldx));
  int gain = gains ? int(problem.weights(size_t(roundUp(cols, padding)))) : -1;
  int bias = shifts ? int(problem.weights(size_t(roundUp(cols, padding)))) : -1;
  size_t out = problem.output(size_t(rows * ldy));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t first = 0; first < cols; first += size) {
      const float *run = problem.at(x) + r * ldx + first;
      double mean = 0, squares = 0;
      if (kind.empty() || kind == "layer")
        for (int64_t c = 0; c < size; ++c)
          mean += run[c] / double(size);
      for (int64_t c = 0; c < size; ++c)
        squares += (run[c] - mean) * (run[c] - mean);
      double divisor = kind == "l2" ? std::max(std::sqrt(squares), eps)
                                    : std::sqrt(squares / double(size) + eps);
      for (int64_t c = 0; c < size; ++c)
        problem.arguments[out].expected[r * ldy + first + c] =
            (run[c] - mean) / divisor *
                (gain >= 0 ? problem.at(gain)[first + c] : 1) +
            (bias >= 0 ? problem.at(bias)[first + c] : 0);
    }
}
