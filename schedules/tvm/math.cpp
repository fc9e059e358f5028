// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "math.h"

#include "families/Functions.h"

namespace vitc::tvm_backend {

/// Horner's rule, the highest power first: one FMA per coefficient.
static Expr polynomial(const Expr &x, const std::vector<double> &coefficients) {
  Expr result = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i)
    result = result * x + Expr(coefficients[i]);
  return result;
}

static Expr clampTo(const Expr &x, float least, float most) {
  return lesserOf(greaterOf(x, least), most);
}

/// Adding 1.5·2^23 pushes the fraction out: the sum's low bits are x rounded to
/// the nearest integer, and taking it off again gives that integer as a float.
/// TVM's code generator is not allowed to regroup sums, so both steps stay.
constexpr float roundingShift = 12582912.0f;
constexpr int roundingShiftBits = 0x4b400000;

/// The integer n, in [-126, 127], that was rounded with the shift, as the
/// exponent field's increment.
static Expr exponentOf(const Expr &shifted) {
  return shiftLeft(reinterpretAs(int32, shifted) - Expr(roundingShiftBits), 23);
}

/// What `combine` makes of e^x = power · (1 + rest), where the power is of two
/// and |rest| < 0.42.
template <class Combine>
static Expr exponential(const Expr &argument, Combine combine) {
  // e^x = 2^n · e^f with |f| <= ln(2)/2; ln(2) is subtracted in two parts (Cody
  // and Waite). The polynomial is Cephes' expf.
  constexpr float log2e = 1.44269504f, ln2High = 0.693359375f,
                  ln2Low = -2.12194440e-4f;
  constexpr float least = -87.3365447f,
                  most = 88.3762589f; // 2^-126 and 2^127.5
  return let("x", clampTo(argument, least, most), [&](const Expr &x) {
    Expr sum = x * Expr(log2e) + Expr(roundingShift);
    return let("shifted", sum, [&](const Expr &shifted) {
      return let("n", shifted - Expr(roundingShift), [&](const Expr &n) {
        Expr rest = x - n * Expr(ln2High) - n * Expr(ln2Low);
        return let("f", rest, [&](const Expr &f) {
          Expr p = polynomial(f, {1.9875691500e-4, 1.3981999507e-3,
                                  8.3334519073e-3, 4.1665795894e-2,
                                  1.6666665459e-1, 5.0000001201e-1});
          Expr power =
              reinterpretAs(float32, exponentOf(shifted) + Expr(0x3f800000));
          return combine(power, p * f * f + f);
        });
      });
    });
  });
}

Expr fastExp(const Expr &argument) {
  return exponential(argument, [](const Expr &power, const Expr &rest) {
    return (rest + Expr(1.0f)) * power;
  });
}

/// e^x - 1. Near 0 the power is 1, and what is left is as accurate as the rest.
static Expr fastExpm1(const Expr &argument) {
  return exponential(argument, [](const Expr &exponent, const Expr &rest) {
    return let("power", exponent, [&](const Expr &power) {
      return rest * power + (power - Expr(1.0f));
    });
  });
}

Expr fastExp2NonPositive(const Expr &argument) {
  // The same with an exact reduction. The polynomial is 2^f on [-1/2, 1/2],
  // minimax in relative error (9e-8) among those that are 1 at 0, in Estrin's
  // order; n is added to its exponent field.
  return let("x", greaterOf(argument, -125.0f), [&](const Expr &x) {
    return let("shifted", x + Expr(roundingShift), [&](const Expr &shifted) {
      return let("f", x - (shifted - Expr(roundingShift)), [&](const Expr &f) {
        return let("f2", f * f, [&](const Expr &f2) {
          Expr low = polynomial(f, {6.93146978e-1, 1.0}),
               middle = polynomial(f, {5.55073374e-2, 2.40222421e-1}),
               high = polynomial(f, {1.32647273e-3, 9.67151273e-3});
          Expr p = (high * f2 + middle) * f2 + low;
          return reinterpretAs(float32,
                               reinterpretAs(int32, p) + exponentOf(shifted));
        });
      });
    });
  });
}

/// x · numerator(x²) / denominator(x²) for |x| <= most.
static Expr rational(const Expr &argument, float most,
                     const std::vector<double> &numerator,
                     const std::vector<double> &denominator) {
  return let("x", clampTo(argument, -most, most), [&](const Expr &x) {
    return let("x2", x * x, [&](const Expr &x2) {
      return x * polynomial(x2, numerator) / polynomial(x2, denominator);
    });
  });
}

Expr fastErf(const Expr &x) {
  // A rational minimax approximation with odd numerator, the one that Eigen
  // uses. |erf| is 1 in float beyond 4.
  return rational(
      x, 4.0f,
      {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06,
       -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
       -1.60960333262415e-02},
      {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
       -7.37332916720468e-03, -1.42647390514189e-02});
}

Expr fastTanh(const Expr &x) {
  // As above, of the same origin. tanh is 1 in float beyond 7.9.
  return rational(x, 7.90531111f,
                  {-2.76076847742355e-16, 2.00018790482477e-13,
                   -8.60467152213735e-11, 5.12229709037114e-08,
                   1.48572235717979e-05, 6.37261928875436e-04,
                   4.89352455891786e-03},
                  {1.19825839466702e-06, 1.18534705686654e-04,
                   2.26843463243900e-03, 4.89352518554385e-03});
}

namespace {

/// What functions of the definitions are made of here.
struct Math {
  using Value = Expr;

  Expr exp(const Expr &x) const { return fastExp(x); }
  Expr expm1(const Expr &x) const { return fastExpm1(x); }
  Expr tanh(const Expr &x) const { return fastTanh(x); }
  Expr erf(const Expr &x) const { return fastErf(x); }
  Expr abs(const Expr &x) const { return greaterOf(x, -x); }
  Expr min(const Expr &a, const Expr &b) const { return lesserOf(a, b); }
  Expr max(const Expr &a, const Expr &b) const { return greaterOf(a, b); }
  Expr where(const Expr &condition, const Expr &yes, const Expr &no) const {
    return select(condition, yes, no);
  }
  template <typename Body>
  Expr let(const char *name, const Expr &value, Body body) const {
    return tvm_backend::let(name, value, body);
  }
};

} // namespace

Expr activation(families::Activation function, const Expr &argument) {
  return families::compute(function, Math(), argument);
}

} // namespace vitc::tvm_backend
