// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place.h"

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

class PlaceBuffers : public IRMutator {
public:
  explicit PlaceBuffers(std::map<std::string, int> alignments)
      : alignments(std::move(alignments)) {}

  /// The places are read on the host, before all else.
  Stmt mutate(const Stmt &stmt) override {
    bool outermost = !inside;
    inside = true;
    Stmt result = IRMutator::mutate(stmt);
    if (!outermost)
      return result;
    inside = false;
    for (const auto &[name, alignment] : alignments) {
      Expr buffer =
          Variable::make(type_of<halide_buffer_t *>(), name + ".buffer");
      result = LetStmt::make(
          placeOf(name),
          Call::make(Int(32), Call::buffer_get_min, {buffer, 0}, Call::Extern),
          result);
    }
    return result;
  }
  Expr mutate(const Expr &expr) override { return IRMutator::mutate(expr); }

private:
  using IRMutator::visit;

  static std::string placeOf(const std::string &name) {
    return name + ".place";
  }

  Expr moved(const std::string &name, const Expr &index) const {
    Expr place = Variable::make(Int(32), placeOf(name));
    int lanes = index.type().lanes();
    return index + (lanes > 1 ? Broadcast::make(place, lanes) : place);
  }

  /// Of an index that was known to be a multiple of something. Places are
  /// multiples of the buffer's alignment.
  ModulusRemainder moved(const std::string &name,
                         const ModulusRemainder &alignment) const {
    int floats = alignments.at(name) / int(sizeof(float));
    return alignment + ModulusRemainder(floats, 0);
  }

  Expr visit(const Load *op) override {
    if (!alignments.count(op->name))
      return IRMutator::visit(op);
    return Load::make(op->type, op->name, moved(op->name, mutate(op->index)),
                      op->image, op->param, mutate(op->predicate),
                      moved(op->name, op->alignment));
  }

  Stmt visit(const Store *op) override {
    if (!alignments.count(op->name))
      return IRMutator::visit(op);
    return Store::make(op->name, mutate(op->value),
                       moved(op->name, mutate(op->index)), op->param,
                       mutate(op->predicate), moved(op->name, op->alignment));
  }

  const std::map<std::string, int> alignments; ///< of buffers, in bytes
  bool inside = false;
};

} // namespace

IRMutator *placeBuffers(const Kernel &kernel) {
  std::map<std::string, int> alignments;
  size_t inputs = kernel.inputs.size();
  for (size_t i = 0; i < kernel.buffers.size(); ++i)
    alignments[i < inputs ? kernel.inputs[i].name()
                          : kernel.outputs[i - inputs].name()] =
        kernel.buffers[i].alignment;
  return new PlaceBuffers(std::move(alignments));
}

} // namespace vitc::halide
