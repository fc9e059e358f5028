// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tensor expressions: what is computed, without a word about how.
#ifndef VITC_SCHEDULES_TVM_TENSOR_H
#define VITC_SCHEDULES_TVM_TENSOR_H

#include "ir.h"

#include <functional>

namespace vitc::tvm_backend {

class Tensor {
public:
  Tensor() = default;
  Tensor(Node node, std::string name)
      : node(std::move(node)), name(std::move(name)) {}

  Expr at(const std::vector<Expr> &place) const;

  Node node;
  std::string name; ///< also that of the block which computes it
};

/// A tensor that is given, as a dense array of this shape.
Tensor placeholder(const std::string &name, const std::vector<int> &shape);

using Place = std::vector<Expr>;

/// The tensor of this shape with value(place) everywhere.
Tensor compute(const std::string &name, const std::vector<int> &shape,
               const std::function<Expr(const Place &)> &value);

enum class Combine { Sum, Max };

/// The same with the terms value(place, k) combined over all k of `extents`.
Tensor reduce(const std::string &name, Combine combine,
              const std::vector<int> &shape, const std::vector<int> &extents,
              const std::function<Expr(const Place &, const Place &)> &value);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_TENSOR_H
