// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a kernel family hands to the emitter: a scheduled pipeline, and its
/// arguments in the protocol's order. Halide wants a buffer's innermost
/// dimension first.
#ifndef VITC_SCHEDULES_HALIDE_KERNEL_H
#define VITC_SCHEDULES_HALIDE_KERNEL_H

#include "Halide.h"
#include "common/families.h"
#include "common/shapes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vitc::halide {

using namespace vitc::schedules;

class Kernel {
public:
  struct Buffer {
    std::string name;
    std::vector<Dimension> dimensions;
    std::string argument; ///< of the kernel; parts of the scratch share one
    int64_t offset;       ///< of the buffer in its argument, in elements
    int alignment;        ///< in bytes
    Halide::Type type;    ///< of the argument's elements
  };

  /// Adds an input. Bounds and strides become constants of the generated code.
  Halide::ImageParam input(const std::string &name,
                           const std::vector<Dimension> &dimensions,
                           int alignment = lineAlignment,
                           Halide::Type type = Halide::Float(32));
  /// The same, read as elements of another type than those of the argument.
  /// Dimensions are in these elements.
  Halide::ImageParam inputAs(Halide::Type type, const std::string &name,
                             const std::vector<Dimension> &dimensions,
                             Halide::Type argument);

  /// Makes `func` an output. Outputs follow the inputs in the argument list, in
  /// the order of these calls.
  void output(Halide::Func func, const std::string &name,
              const std::vector<Dimension> &dimensions,
              int alignment = lineAlignment);

  /// Makes `func` the next part of the argument `scratch`, which stands where
  /// its first part stands among the outputs.
  void scratch(Halide::Func func, const std::string &name,
               const std::vector<Dimension> &dimensions);

  std::vector<Halide::ImageParam> inputs;
  std::vector<Halide::Func> outputs;
  std::vector<Buffer> buffers; ///< inputs, then outputs
  Schedule::Result schedule;
  /// Passes that add prefetches, after all others.
  std::vector<std::shared_ptr<Halide::Internal::IRMutator>> prefetches;
  std::map<std::string, int> stackFloats; ///< of buffers that Halide overrates

private:
  int64_t scratchFloats = 0;
};

/// The type of weights that are stored in a format. Those of bfloat16 are their
/// bits: Halide would warn that it emulates the type.
Halide::Type storedType(families::WeightFormat format);

/// A stored weight as float32.
Halide::Expr widened(const Halide::Expr &stored, families::WeightFormat format);
/// The float32 whose upper half are the bits of a bfloat16.
Halide::Expr fromBf16(const Halide::Expr &bits);

/// The kernel's arguments, in its function's order.
std::vector<BuiltArgument> builtArguments(const Kernel &kernel);

/// The families. Each fills in the schedule's defaults and returns the
/// scheduled pipeline.
#define VITC_BUILDER(name)                                                     \
  Kernel build##name(const families::name##Shape &spec, Schedule &schedule,    \
                     const Machine &machine);
VITC_HALIDE_FAMILIES(VITC_BUILDER)
#undef VITC_BUILDER

/// Reads the rest of `spec` with the family's builder.
Kernel buildKernel(const KernelSpec &spec,
                   Schedule::Mode mode = Schedule::Mode::Strict);

std::vector<std::string> familyNames();

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_KERNEL_H
