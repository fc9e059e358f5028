// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A kernel's inputs, drawn at random, and what it must make of them: the
/// formulas of docs/KernelProtocol.md as plain loops in double precision.
#ifndef VITC_TOOLS_MEASURE_PROBLEM_H
#define VITC_TOOLS_MEASURE_PROBLEM_H

#include "families/Functions.h"
#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vitc::measure {

/// One argument of the kernel's function, in the protocol's order.
struct Argument {
  families::Role role;
  families::ElementType type = families::ElementType::F32;
  size_t floats = 0; ///< of its memory, whatever its elements are
  /// Of inputs and weights; the memory of elements that are no floats.
  std::vector<float> values;
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
  /// What an output may be off by, in units of the largest one.
  double tolerance = 1e-4;

  /// For the families: makes the arguments that the definition lists, inputs
  /// and weights drawn from -1 to 1. Those that the kernel lacks are null.
  template <typename Spec>
  typename Spec::template Arguments<Argument *> add(const Spec &spec) {
    addArguments(spec.arguments());
    typename Spec::template Arguments<Argument *> result;
    size_t next = 0;
    result.visit(spec, [&](const char *, families::Role, Argument *&argument) {
      argument = &arguments[next++];
    });
    return result;
  }
  /// Makes `argument` columns of the buffer of `other`, from `offset` on.
  void share(Argument &argument, const Argument &other, size_t offset);
  const float *at(const Argument *argument) const;

private:
  void addArguments(const std::vector<families::Argument> &list);

  std::mt19937_64 random;
};

/// The elements of an argument that are no floats.
template <typename T>
T *elementsOf(Argument *argument) {
  return reinterpret_cast<T *>(argument->values.data());
}

/// The value of a bfloat16, and the bits of the nearest one.
float fromBf16(uint16_t bits);
uint16_t toBf16(float value);

/// Multiplies the values.
void scale(Argument &argument, double factor);

/// The families' own: arguments, then what is expected.
#define VITC_PROBLEM(name)                                                     \
  void makeProblem(const families::name##Spec &spec, Problem &problem);
VITC_TUNED_FAMILIES(VITC_PROBLEM)
#undef VITC_PROBLEM

} // namespace vitc::measure

#endif // VITC_TOOLS_MEASURE_PROBLEM_H
