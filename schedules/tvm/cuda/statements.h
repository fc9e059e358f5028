// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Statements of a GPU kernel, written down rather than scheduled: which thread
/// does what, between which barriers.
#ifndef VITC_SCHEDULES_TVM_CUDA_STATEMENTS_H
#define VITC_SCHEDULES_TVM_CUDA_STATEMENTS_H

#include "../ir.h"

#include <functional>

namespace vitc::tvm_backend {

inline constexpr DLDataType float16{kDLFloat, 16, 1};

/// A run of numbers: an argument of the kernel ("global"), what a block's
/// threads share ("shared"), or the matrices that a warp holds together
/// ("wmma.matrix_a", "wmma.matrix_b", "wmma.accumulator").
class DeviceMemory {
public:
  DeviceMemory(const std::string &name, DLDataType type, int64_t elements,
               const std::string &scope);

  Expr at(const Expr &index) const;
  Node store(const Expr &index, const Expr &value) const;
  Expr data() const; ///< its address
  /// The address of `extent` elements from `offset` on.
  Expr place(const Expr &offset, int extent, bool written) const;
  /// The statement that makes room for it, for all but arguments.
  Node allocation() const;

  Node buffer;
  DLDataType type;
  std::string scope;
};

/// The sides of the matrices that a tensor core multiplies.
inline constexpr int matrixSide = 16;

/// Matrices are numbered within their memory.
Node fillMatrix(const DeviceMemory &matrices, int number, float value);
Node loadMatrix(const DeviceMemory &matrices, int number,
                const DeviceMemory &from, const Expr &offset, int stride);
Node storeMatrix(const DeviceMemory &matrices, int number,
                 const DeviceMemory &to, const Expr &offset, int stride);
/// sum += left · right.
Node multiplyMatrices(const DeviceMemory &sums, int sum,
                      const DeviceMemory &lefts, int left,
                      const DeviceMemory &rights, int right);

Node loop(const std::string &name, int extent,
          const std::function<Node(const Expr &)> &body);
Node onlyIf(const Expr &condition, const Node &body);
/// All threads of the block wait for each other.
Node waitForBlock();
/// `body` for each of `extent` blocks or threads: "blockIdx.x", "threadIdx.y" …
Node forEach(const std::string &index, int extent,
             const std::function<Node(const Expr &)> &body);

/// `yes` is only computed where the condition holds.
Expr either(const Expr &condition, const Expr &yes, const Expr &no);
Expr convert(DLDataType type, const Expr &value);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_CUDA_STATEMENTS_H
