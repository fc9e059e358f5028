// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree_reduce.h"

#include "math.h"

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

class ReduceByTree : public IRMutator {
  using IRMutator::visit;

  Expr visit(const VectorReduce *op) override {
    int lanes = op->value.type().lanes();
    bool known = op->op == VectorReduce::Add || op->op == VectorReduce::Max;
    if (!known || !op->type.is_float() || op->type.lanes() != 1 ||
        (lanes & (lanes - 1)) != 0)
      return IRMutator::visit(op);
    // Named, since each step uses the one before twice.
    std::vector<std::pair<std::string, Expr>> steps;
    Expr value = mutate(op->value);
    for (; lanes > 1; lanes /= 2) {
      std::string name = unique_name("tree");
      steps.emplace_back(name, value);
      Expr whole = Variable::make(value.type(), name);
      Expr low = Shuffle::make_slice(whole, 0, 1, lanes / 2),
           high = Shuffle::make_slice(whole, lanes / 2, 1, lanes / 2);
      // Strict: free to regroup a sum, the compiler takes one order for rows
      // that it sums side by side, and another for those that are left over.
      value = op->op == VectorReduce::Add ? strict_float(low + high)
                                          : greaterOf(low, high);
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
      value = Let::make(step->first, step->second, value);
    return value;
  }
};

} // namespace

IRMutator *reduceByTree() { return new ReduceByTree; }

} // namespace vitc::halide
