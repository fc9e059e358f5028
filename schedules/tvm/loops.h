// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Schedules: TVM's schedule primitives under short names.
#ifndef VITC_SCHEDULES_TVM_LOOPS_H
#define VITC_SCHEDULES_TVM_LOOPS_H

#include "tensor.h"

namespace vitc::tvm_backend {

using Loop = Node;
using Block = Node;

/// The loops of one function, to be rearranged.
class Loops {
public:
  Loops() = default;
  /// The plain loops that compute the last tensors from the first ones.
  explicit Loops(const std::vector<Tensor> &arguments);

  Block block(const Tensor &tensor);
  /// The loops around a block, outermost first.
  std::vector<Loop> around(const Block &block);
  std::vector<Loop> around(const Tensor &tensor) {
    return around(block(tensor));
  }

  /// Splits a loop; `factors` are the extents from the outer to the inner loop,
  /// one of which may be 0 for what is left.
  std::vector<Loop> split(const Loop &loop, const std::vector<int> &factors);
  Loop fuse(const std::vector<Loop> &loops);
  void reorder(const std::vector<Loop> &loops);
  void vectorize(const Loop &loop);
  void unroll(const Loop &loop);
  /// Makes the iterations of the outermost loop the function's tasks.
  void tasks(const Loop &loop);
  void computeAt(const Tensor &tensor, const Loop &loop);
  void inlineInto(const Tensor &tensor);
  /// Keeps a tensor on the stack, or in registers.
  void keepLocal(const Tensor &tensor);
  /// Takes the start values of a reduction out of its loop over `loop`.
  void decompose(const Tensor &tensor, const Loop &loop);
  void annotate(const Loop &loop, const char *key, int value);

  Node module() const;

private:
  Node schedule;
};

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_LOOPS_H
