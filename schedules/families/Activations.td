// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The activation functions, each written once: for models (the vit dialect), for kernels of all backends, and for the
// interpreter, the tools and the tests that check kernels.

#ifndef VITC_SCHEDULES_FAMILIES_ACTIVATIONS_TD
#define VITC_SCHEDULES_FAMILIES_ACTIVATIONS_TD

// A function of x. Expressions are Python: numbers, + - * /, comparisons, pi, sqrt, exp, expm1, log1p, tanh, erf, abs, min, max
// and where(condition, then, otherwise).
class Function<string cppName_, string word_, string value_, string kernel_ = value_> {
  string cppName = cppName_;
  string word = word_;
  // In double precision, for whoever checks kernels.
  string value = value_;
  // In kernels, in float32: no step may overflow where the result does not. `name = expression;` names a step.
  string kernel = kernel_;
}

defvar activationFunctions = [
    Function<"None", "none", "x">,
    // Where the normal distribution's tail is below 2e-8 the result is x or 0: an error of erf's last bit, times a large x, must
    // not get through.
    Function<"Gelu", "gelu", "0.5 * x * (1 + erf(x * sqrt(0.5)))",
             "half = 0.5 * x; where(abs(x) > 5.5, max(x, 0), half + half * erf(x * sqrt(0.5)))">,
    // 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u))
    Function<"GeluTanh", "gelu_tanh", "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))",
             "x / (1 + exp(-(2 * sqrt(2 / pi) * x * (1 + 0.044715 * x * x))))">,
    Function<"QuickGelu", "quick_gelu", "x / (1 + exp(-(1.702 * x)))">,
    Function<"Relu", "relu", "max(x, 0)">,
    Function<"Silu", "silu", "x / (1 + exp(-x))">,
    Function<"Tanh", "tanh", "tanh(x)">,
    Function<"Sigmoid", "sigmoid", "1 / (1 + exp(-x))">,
    // The value is x tanh(ln(1 + exp(x))) without an overflow of exp(x). tanh(ln(1 + e)) = e (e + 2) / (e (e + 2) + 2), which is 1
    // in float beyond 9. A compiler may multiply before it divides: x must not be large where n is.
    Function<"Mish", "mish", "x * tanh(max(x, 0) + log1p(exp(-abs(x))))",
             "e = exp(min(x, 20)); n = e * (e + 2); where(x > 20, x, x * (n / (n + 2)))">,
    Function<"HardSwish", "hard_swish", "x * (min(max(x + 3, 0), 6) * (1 / 6))">,
    Function<"HardSigmoid", "hard_sigmoid", "min(max(x + 3, 0), 6) * (1 / 6)">,
    Function<"Relu6", "relu6", "min(max(x, 0), 6)">,
    Function<"LeakyRelu", "leaky_relu", "max(x, 0.01 * x)">,
    Function<"Elu", "elu", "where(x > 0, x, expm1(x))">];

#endif // VITC_SCHEDULES_FAMILIES_ACTIVATIONS_TD
