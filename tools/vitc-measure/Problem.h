// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A kernel's inputs, drawn at random, and what it must make of them: the
/// formulas of docs/KernelProtocol.md as plain loops in double precision.
#ifndef VITC_TOOLS_MEASURE_PROBLEM_H
#define VITC_TOOLS_MEASURE_PROBLEM_H

#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vitc::measure {

/// One argument of the kernel's function, in the protocol's order.
struct Argument {
  enum class Role { Input, Weights, Scratch, Output };
  Role role;
  size_t floats;
  std::vector<float> values;    ///< of inputs and weights
  std::vector<double> expected; ///< of outputs; NaN where anything may stand
  /// Columns of an earlier argument's buffer, as query, key and value are.
  int sharedWith = -1;
  size_t offset = 0;
};

class Problem {
public:
  /// Fails for families that have no reference here.
  static llvm::Expected<Problem>
  make(llvm::StringRef family, const llvm::json::Object &spec, uint64_t seed);

  /// Those that have one.
  static std::vector<std::string> families();

  std::vector<Argument> arguments;

  /// For the families: adds an argument and returns its number.
  size_t input(size_t floats, float scale = 1);
  size_t weights(size_t floats, float scale = 1);
  size_t scratch(size_t floats);
  size_t output(size_t floats);
  /// Columns of the buffer of `other`, from `offset` on.
  size_t columns(size_t other, size_t offset);
  const float *at(size_t argument) const;
  std::mt19937_64 random;
};

/// A specification's fields. The backend has checked them, and Problem::make
/// that sizes are integers of 31 bits; what is absent is 0.
class Spec {
public:
  explicit Spec(const llvm::json::Object &object) : object(object) {}

  int64_t operator[](llvm::StringRef name) const {
    return object.getInteger(name).value_or(0);
  }
  double number(llvm::StringRef name) const {
    return object.getNumber(name).value_or(0);
  }
  bool flag(llvm::StringRef name) const {
    return object.getBoolean(name).value_or(false);
  }
  bool has(llvm::StringRef name) const { return object.get(name) != nullptr; }
  std::string word(llvm::StringRef name) const {
    return object.getString(name).value_or("").str();
  }

private:
  const llvm::json::Object &object;
};

/// The families' own: arguments, then what is expected.
void makeAttention(const Spec &spec, Problem &problem);
void makeConv(const Spec &spec, Problem &problem);
void makeDepthwise(const Spec &spec, Problem &problem);
void makeGemm(const Spec &spec, Problem &problem);
void makeNorm(const Spec &spec, Problem &problem);
void makePatchEmbed(const Spec &spec, Problem &problem);
void makeSingleQueryAttention(const Spec &spec, Problem &problem);

double activate(llvm::StringRef function, double x);
int64_t roundUp(int64_t value, int64_t multiple);

} // namespace vitc::measure

#endif // VITC_TOOLS_MEASURE_PROBLEM_H
