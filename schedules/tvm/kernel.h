// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a kernel family hands to the emitter: scheduled loops, cut into tasks,
/// and the kernel's arguments in the protocol's order.
///
/// A kernel is a list of stages that follow each other, each a number of tasks.
/// Tasks that do the same are a section, which becomes one plain function of a
/// task's number and the arguments; the adapter runs them, on the caller's
/// threads or in a row. So an object calls nothing: neither TVM's runtime nor
/// ours.
#ifndef VITC_SCHEDULES_TVM_KERNEL_H
#define VITC_SCHEDULES_TVM_KERNEL_H

#include "common/families.h"
#include "common/shapes.h"
#include "cuda/device.h"
#include "loops.h"

#include <optional>

namespace vitc::tvm_backend {

using namespace vitc::schedules;

/// Where a tensor lies in an argument; the outermost dimension first.
struct View {
  std::string argument;
  std::vector<Dimension> dimensions;
  int64_t offset;
};

/// Prefetches of packed weights, spread over a product's inner loop: see
/// prefetch.h.
struct WeightStream {
  std::string argument;
  int depth;              ///< length of the sums
  int panel, tileColumns; ///< columns of a panel and of a tile
  int linesPerStep;       ///< prefetches in one iteration of the inner loop
  int nextTask; ///< what the task's number grows by to the next column tile, or
                ///< 0 where a loop inside the task walks over column tiles
};

/// One nest of loops, whose outermost loop runs over tasks.
class Part {
public:
  /// A tensor that lies in an argument of the kernel.
  Tensor input(const std::string &argument,
               const std::vector<Dimension> &dimensions, int64_t offset = 0);
  /// Puts a computed tensor into an argument. After the last one there are
  /// loops to schedule.
  void output(const Tensor &tensor, const std::string &argument,
              const std::vector<Dimension> &dimensions, int64_t offset = 0);
  /// The loops that compute all outputs; no input or output may follow.
  Loops &schedule();

  std::vector<Tensor> tensors; ///< inputs, then outputs
  std::vector<View> views;     ///< of each
  std::optional<WeightStream> prefetch;

private:
  std::optional<Loops> loops;
};

/// Tasks that do the same: their parts follow each other.
struct Section {
  int tasks;
  std::vector<Part> parts;
};

struct Stage {
  std::vector<Section> sections; ///< each has the next tasks' numbers
  bool parallel;
  int together = 1; ///< tasks that a thread takes at a time

  int tasks() const;
};

class Kernel {
public:
  void input(const std::string &name) { arguments.push_back({name, false}); }
  void output(const std::string &name) { arguments.push_back({name, true}); }
  /// A stage of one section of one part.
  void stage(int tasks, bool parallel, Part part);

  /// Defines the stages. A tuner that only asks for the schedule's parameters
  /// does not wait for them.
  std::function<void(Kernel &)> define;

  std::vector<BuiltArgument> arguments;
  std::vector<Stage> stages;
  std::optional<DeviceFunction> device; ///< on a GPU, instead of the stages
  Schedule::Result schedule;
  bool mayAlias = false; ///< an output may be one of the inputs
};

/// The kernel's arguments, in its function's order.
std::vector<BuiltArgument> builtArguments(const Kernel &kernel);

/// The families. Each fills in the schedule's defaults and returns the kernel,
/// its stages still to be defined.
#define VITC_BUILDER(name)                                                     \
  Kernel build##name(const families::name##Shape &spec, Schedule &schedule,    \
                     const Machine &machine);
VITC_TVM_FAMILIES(VITC_BUILDER)
#undef VITC_BUILDER

/// Reads the rest of `spec` with the family's builder.
Kernel buildKernel(const KernelSpec &spec, Schedule::Mode mode);

std::vector<std::string> familyNames();

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_KERNEL_H
