// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack_bounds.h"

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

class BoundStack : public IRMutator {
public:
  explicit BoundStack(const std::map<std::string, int> &floats)
      : floats(floats) {}

private:
  using IRMutator::visit;

  Stmt visit(const Allocate *op) override {
    auto size = floats.find(op->name);
    if (size == floats.end())
      return IRMutator::visit(op);
    return Allocate::make(op->name, op->type, op->memory_type, {size->second},
                          op->condition, mutate(op->body), op->new_expr,
                          op->free_function, op->padding);
  }

  std::map<std::string, int> floats;
};

} // namespace

IRMutator *boundStack(const std::map<std::string, int> &floats) {
  return new BoundStack(floats);
}

} // namespace vitc::halide
