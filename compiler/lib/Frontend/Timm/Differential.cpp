// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// timm's differential attention: of two attentions to the same values, the
/// second is subtracted, so that what both see cancels.
///
/// Quirks: a head's first half of queries and keys is the first attention's,
/// the second half the second's, and each half is normed by itself; what the
/// second one is multiplied with has a part that grows with the block's place;
/// the difference is brought to a mean square of 1 in every head.
#include "Timm.h"

#include <cmath>

using namespace vitc;
using mlir::Value;

/// −λ for every channel: λ = exp(q1·k1) − exp(q2·k2) + start.
static Value negativeLambda(ModelBuilder &model, const std::string &name,
                            int64_t size, int64_t width, double start) {
  constexpr double noLimit = 700; // the largest that exp() of a double takes
  auto part = [&](const std::string &number) {
    auto vector = [&](const char *kind) {
      return model.reshape(model.parameter(name + kind + number, {size}),
                           {1, size});
    };
    return model.exp(model.linear(name + ".lambda_" + number,
                                  vector(".lambda_q"), vector(".lambda_k"),
                                  /*bias=*/Value()),
                     noLimit);
  };
  Value sum =
      model.add(name + ".lambda", model.scale(part("1"), -1), part("2"));
  sum = model.add(name + ".lambda", sum,
                  model.constant(name + ".lambda_init", {1, 1}, {-start}));
  return model.spreadHeads(model.reshape(sum, {1}), width);
}

Value vitc::timmDifferentialAttention(ModelBuilder &model,
                                      const std::string &name,
                                      const Projections &parts,
                                      const TimmAttention &shape) {
  int64_t width = ModelBuilder::shapeOf(parts.value).back(),
          half = width / shape.heads / 2;
  double start = 0.8 - 0.6 * std::exp(-0.3 * double(*shape.differential));
  auto normed = [&](const char *suffix, Value x) {
    return shape.headNorm ? model.headNorm(name + suffix, x, 2 * shape.heads,
                                           *shape.headNorm)
                          : x;
  };
  Value query = normed(".q_norm", parts.query),
        key = normed(".k_norm", parts.key);
  // Where a half of the keys is zero, query·key is that of the other half.
  auto attend = [&](const std::string &suffix, int64_t which) {
    std::vector<double> kept(width);
    for (int64_t channel = 0; channel < width; ++channel)
      kept[channel] = channel / half % 2 == which;
    std::string layer = name + suffix;
    Value keys = model.scaleChannels(
        layer + ".key", key, model.constant(layer + ".half", {width}, kept));
    AttentionShape attention = {shape.heads, 1 / std::sqrt(double(half))};
    return model.attention(layer, {query, keys, parts.value}, attention)
        .sequence;
  };
  Value difference = model.add(
      name + ".difference", attend(".first", 0),
      model.scaleChannels(name + ".second.lambda", attend(".second", 1),
                          negativeLambda(model, name, half, width, start)));
  Norm norm = {1e-5, vit::NormKind::Rms, /*bias=*/false};
  difference =
      model.headNorm(name + ".sub_norm", difference, shape.heads, norm);
  return model.scaleChannels(
      name + ".sub_norm.scale", difference,
      model.constant(name + ".sub_norm.factor", {width},
                     std::vector<double>(width, 1 - start)));
}
