// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "math.h"

#include "families/Functions.h"

using namespace Halide;

namespace vitc::halide {

/// Horner's rule, the highest power first: one FMA per coefficient.
static Expr polynomial(const Expr &x, const std::vector<double> &coefficients) {
  Expr result = float(coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i)
    result = result * x + float(coefficients[i]);
  return result;
}

Expr greaterOf(Expr a, Expr b) { return select(a > b, a, b); }

Expr lesserOf(Expr a, Expr b) { return select(a < b, a, b); }

static Expr clampTo(const Expr &x, float least, float most) {
  return lesserOf(greaterOf(x, least), most);
}

/// 2^n for a float n that holds an integer in [-126, 127]: the exponent field
/// written directly.
static Expr powerOfTwo(const Expr &n) {
  return reinterpret<float>((cast<int32_t>(n) + 127) << 23);
}

/// e^x = power · (1 + rest), where `power` is of two and |rest| < 0.42.
struct Exponential {
  Expr power, rest;
};

static Exponential exponential(Expr x) {
  // e^x = 2^n * e^f with |f| <= ln(2)/2. ln(2) is subtracted in two parts (Cody
  // and Waite); n times the first is exact, its low bits being zero. Strict, or
  // the compiler adds the two parts up again. The polynomial is Cephes' expf:
  // (e^f - 1 - f) / f^2 to 6e-8.
  constexpr float log2e = 1.44269504f, ln2High = 0.693359375f,
                  ln2Low = -2.12194440e-4f;
  constexpr float least = -87.3365447f,
                  most = 88.3762589f; // 2^-126 and 2^127.5
  x = clampTo(x, least, most);
  Expr n = round(x * log2e);
  Expr f = strict_float(x - n * ln2High);
  f = f - n * ln2Low;
  Expr p = polynomial(f, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                          4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return {powerOfTwo(n), p * f * f + f};
}

Expr fastExp(Expr x) {
  Exponential e = exponential(std::move(x));
  return (e.rest + 1.0f) * e.power;
}

Expr fastExpm1(Expr x) {
  // Near 0 the power is 1, and the rest is the result to its last bits, which
  // must not be added to 1 on the way.
  Exponential e = exponential(std::move(x));
  return select(e.power == 1.0f, e.rest, (e.rest + 1.0f) * e.power - 1.0f);
}

Expr fastExp2Below(Expr x, Expr top) {
  // The same with an exact reduction. The polynomial is 2^f on [-1/2, 1/2],
  // minimax in relative error (9e-8) among those that are 1 at 0; n is added to
  // its exponent field, which stays positive for n >= -126 + 1. The least power
  // is far from that: a weight of 2^-125 times a value would be subnormal,
  // which Intel's processors take 150 cycles for (Swin's masked scores).
  // Estrin's order: three FMAs deep where Horner's is five, since a processor's
  // schedulers hold only some four of these chains at a time.
  //
  // x - top + 3·2^22 has no bits left for a fraction, so the sum is rounded to
  // an integer, and n - top stands in its low bits: an addition instead of a
  // rounding and a conversion, which x86 has no single instructions for. Both
  // constants are added at once, which is exact: top is a whole number, and
  // 3·2^22 is a multiple of a float's last bit up to 2^46. Strict, or the
  // compiler takes the constants away again.
  constexpr float integers = 12582912.0f;
  constexpr float least = -100.0f;
  Expr shift = strict_float(integers - top);
  x = greaterOf(x, strict_float(top + least));
  Expr shifted = strict_float(x + shift);
  Expr n = strict_float(shifted - shift);
  Expr f = strict_float(x - n), f2 = f * f;
  Expr low = polynomial(f, {6.93146978e-1, 1.0}),
       middle = polynomial(f, {5.55073374e-2, 2.40222421e-1}),
       high = polynomial(f, {1.32647273e-3, 9.67151273e-3});
  Expr p = (high * f2 + middle) * f2 + low;
  return reinterpret<float>(reinterpret<int32_t>(p) +
                            (reinterpret<int32_t>(shifted) << 23));
}

Expr fastErf(Expr x) {
  // A rational minimax approximation with odd numerator, the one that Eigen
  // uses. |erf| is 1 in float beyond 4.
  x = clampTo(x, -4.0f, 4.0f);
  Expr x2 = x * x;
  Expr numerator = polynomial(x2, {-2.72614225801306e-10, 2.77068142495902e-08,
                                   -2.10102402082508e-06, -5.69250639462346e-05,
                                   -7.34990630326855e-04, -2.95459980854025e-03,
                                   -1.60960333262415e-02});
  Expr denominator = polynomial(
      x2, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
           -7.37332916720468e-03, -1.42647390514189e-02});
  return x * numerator / denominator;
}

Expr fastTanh(Expr x) {
  // As above, of the same origin. tanh is 1 in float beyond 7.9.
  x = clampTo(x, -7.90531111f, 7.90531111f);
  Expr x2 = x * x;
  Expr numerator = polynomial(x2, {-2.76076847742355e-16, 2.00018790482477e-13,
                                   -8.60467152213735e-11, 5.12229709037114e-08,
                                   1.48572235717979e-05, 6.37261928875436e-04,
                                   4.89352455891786e-03});
  Expr denominator =
      polynomial(x2, {1.19825839466702e-06, 1.18534705686654e-04,
                      2.26843463243900e-03, 4.89352518554385e-03});
  return x * numerator / denominator;
}

namespace {

/// What functions of the definitions are made of here.
struct Math {
  using Value = Expr;

  Expr exp(const Expr &x) const { return fastExp(x); }
  Expr expm1(const Expr &x) const { return fastExpm1(x); }
  Expr tanh(const Expr &x) const { return fastTanh(x); }
  Expr erf(const Expr &x) const { return fastErf(x); }
  Expr abs(const Expr &x) const { return Halide::abs(x); }
  Expr min(const Expr &a, const Expr &b) const { return lesserOf(a, b); }
  Expr max(const Expr &a, const Expr &b) const { return greaterOf(a, b); }
  Expr where(const Expr &condition, const Expr &yes, const Expr &no) const {
    return select(condition, yes, no);
  }
  /// Halide finds by itself what is used more than once.
  template <typename Body>
  Expr let(const char *, const Expr &value, Body body) const {
    return body(value);
  }
};

} // namespace

Expr activation(families::Activation function, Expr x) {
  return families::compute(function, Math(), x);
}

} // namespace vitc::halide
