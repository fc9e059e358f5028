// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace vitc;
using namespace vitc::measure;

static constexpr struct {
  llvm::StringLiteral name;
  void (*make)(const Spec &, Problem &);
  llvm::StringLiteral divisors; ///< fields that must not be 0 here
} table[] = {
    {"attention", makeAttention, "batch heads tokens"},
    {"conv", makeConv, "n panel out_h out_w"},
    {"depthwise", makeDepthwise, "out_h out_w"},
    {"gemm", makeGemm, "n panel"},
    {"norm", makeNorm, "cols"},
    {"patch_embed", makePatchEmbed, "n panel patch_h patch_w"},
    {"single_query_attention", makeSingleQueryAttention, "panel tokens"},
};

llvm::Expected<Problem> Problem::make(llvm::StringRef family,
                                      const llvm::json::Object &spec,
                                      uint64_t seed) {
  // The backend has checked how the sizes go together.
  constexpr int64_t greatest = std::numeric_limits<int32_t>::max();
  for (const auto &[name, value] : spec)
    if (std::optional<double> number = value.getAsNumber();
        number && !(std::abs(*number) <= double(greatest)))
      return userError("the specification's " + name.str() +
                       " is not between " + llvm::Twine(-greatest) + " and " +
                       llvm::Twine(greatest));
  for (const auto &known : table)
    if (known.name == family) {
      for (llvm::StringRef field : llvm::split(known.divisors, ' '))
        if (Spec(spec)[field] < 1)
          return userError("the specification's " + field + " is missing or 0");
      Problem problem;
      problem.random.seed(seed);
      known.make(Spec(spec), problem);
      return problem;
    }
  return userError("there is no reference for the family " + family);
}

std::vector<std::string> Problem::families() {
  std::vector<std::string> names;
  for (const auto &known : table)
    names.push_back(known.name.str());
  return names;
}

size_t Problem::input(size_t floats, float scale) {
  Argument &argument = arguments.emplace_back();
  argument.role = Argument::Role::Input;
  argument.floats = floats;
  std::uniform_real_distribution<float> draw(-scale, scale);
  argument.values.resize(floats);
  for (float &value : argument.values)
    value = draw(random);
  return arguments.size() - 1;
}

size_t Problem::weights(size_t floats, float scale) {
  size_t number = input(floats, scale);
  arguments[number].role = Argument::Role::Weights;
  return number;
}

size_t Problem::scratch(size_t floats) {
  Argument &argument = arguments.emplace_back();
  argument.role = Argument::Role::Scratch;
  argument.floats = floats;
  return arguments.size() - 1;
}

size_t Problem::output(size_t floats) {
  size_t number = scratch(floats);
  arguments[number].role = Argument::Role::Output;
  arguments[number].expected.assign(floats,
                                    std::numeric_limits<double>::quiet_NaN());
  return number;
}

size_t Problem::columns(size_t other, size_t offset) {
  Argument argument;
  argument.role = Argument::Role::Input;
  argument.floats = 0;
  argument.sharedWith = int(other);
  argument.offset = offset;
  arguments.push_back(std::move(argument));
  return arguments.size() - 1;
}

const float *Problem::at(size_t number) const {
  const Argument &argument = arguments[number];
  return argument.sharedWith < 0
             ? argument.values.data()
             : arguments[argument.sharedWith].values.data() + argument.offset;
}

int64_t vitc::measure::roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

double vitc::measure::activate(llvm::StringRef function, double x) {
  if (function == "gelu")
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  if (function == "gelu_tanh")
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  if (function == "quick_gelu")
    return x / (1 + std::exp(-1.702 * x));
  if (function == "relu")
    return std::max(x, 0.0);
  if (function == "sigmoid")
    return 1 / (1 + std::exp(-x));
  if (function == "silu")
    return x / (1 + std::exp(-x));
  if (function == "tanh")
    return std::tanh(x);
  if (function == "mish")
    return x * std::tanh(std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))));
  if (function == "hard_swish")
    return x * std::clamp(x + 3, 0.0, 6.0) / 6;
  if (function == "hard_sigmoid")
    return std::clamp(x + 3, 0.0, 6.0) / 6;
  if (function == "relu6")
    return std::clamp(x, 0.0, 6.0);
  if (function == "leaky_relu")
    return x > 0 ? x : 0.01 * x;
  if (function == "elu")
    return x > 0 ? x : std::expm1(x);
  return x;
}
