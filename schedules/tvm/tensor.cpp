// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor.h"

#include <limits>

namespace vitc::tvm_backend {

/// tvm::tirx::IterVarType.
enum IterKind { DataParallel = 0, Reduction = 2 };

Expr Tensor::at(const std::vector<Expr> &place) const {
  return make("te.TensorLoad", node, nodes(place));
}

Tensor placeholder(const std::string &name, const std::vector<int> &shape) {
  return {make("te.Placeholder", nodes({shape.begin(), shape.end()}),
               typeOf(float32), name),
          name};
}

/// Iteration variables of these extents; their variables go to `place`.
static Nodes axes(const std::string &prefix, const std::vector<int> &extents,
                  IterKind kind, Place &place) {
  Nodes result;
  for (size_t i = 0; i < extents.size(); ++i) {
    Expr var = variable(prefix + std::to_string(i), int32);
    Node range = make("ir.Range_from_min_extent", Expr(0).node,
                      Expr(extents[i]).node, nullptr);
    result.push_back(
        make("tirx.IterVar", range, var.node, int(kind), "", nullptr));
    place.push_back(var);
  }
  return result;
}

static Tensor computeOp(const std::string &name, const Nodes &spatial,
                        const Expr &body) {
  Node op = make("te.ComputeOp", name, "", nullptr, spatial, nodes({body}));
  return {make("te.OpGetOutput", op, 0), name};
}

Tensor compute(const std::string &name, const std::vector<int> &shape,
               const std::function<Expr(const Place &)> &value) {
  Place place;
  Nodes spatial = axes("i", shape, DataParallel, place);
  return computeOp(name, spatial, value(place));
}

Tensor reduce(const std::string &name, Combine combine,
              const std::vector<int> &shape, const std::vector<int> &extents,
              const std::function<Expr(const Place &, const Place &)> &value) {
  Place place, k;
  Nodes spatial = axes("i", shape, DataParallel, place);
  Nodes summed = axes("k", extents, Reduction, k);
  Expr x = variable("x", float32), y = variable("y", float32);
  Expr both = combine == Combine::Sum ? x + y : greaterOf(x, y);
  Expr neutral =
      combine == Combine::Sum ? 0.0f : std::numeric_limits<float>::lowest();
  Node combiner = make("te.CommReducer", Nodes{x.node}, Nodes{y.node},
                       nodes({both}), nodes({neutral}), nullptr);
  Node always = make("ir.IntImm", boolean, int64_t(1), nullptr);
  return computeOp(name, spatial,
                   make("te.Reduce", combiner, nodes({value(place, k)}), summed,
                        always, 0, Nodes{}, nullptr));
}

} // namespace vitc::tvm_backend
