// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prefetch.h"

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

/// Finds where a buffer is first read.
class FirstLoad : public IRVisitor {
public:
  explicit FirstLoad(const std::string &buffer) : buffer(buffer) {}
  Expr index;

private:
  using IRVisitor::visit;
  void visit(const Load *op) override {
    if (op->name == buffer && !index.defined())
      index = op->index;
    IRVisitor::visit(op);
  }
  std::string buffer;
};

class SpreadPrefetch : public IRMutator {
public:
  explicit SpreadPrefetch(const WeightStream &stream) : stream(stream) {}

private:
  using IRMutator::visit;

  static bool isLoop(const For *op, const std::string &name) {
    std::string end = "." + name;
    return op->name.size() >= end.size() &&
           op->name.compare(op->name.size() - end.size(), end.size(), end) == 0;
  }

  Stmt visit(const For *op) override {
    const For *outerTile = tileLoop;
    std::vector<const For *> outerRow = rowLoops;
    if (isLoop(op, stream.tileLoop))
      tileLoop = op;
    if (isLoop(op, "mo"))
      rowLoops = {op};
    else if (!rowLoops.empty())
      rowLoops.push_back(op);
    Stmt result = IRMutator::visit(op);
    if (isLoop(op, "ko") && tileLoop && rowLoops.size() > 1)
      result = withPrefetches(result.as<For>());
    tileLoop = outerTile;
    rowLoops = outerRow;
    return result;
  }

  Stmt visit(const LetStmt *op) override {
    lets.push_back(op);
    Stmt result = IRMutator::visit(op);
    lets.pop_back();
    return result;
  }

  Stmt withPrefetches(const For *loop) {
    FirstLoad load(stream.buffer);
    loop->body.accept(&load);
    if (!load.index.defined())
      return loop;
    // The start of the next tile: the loop's first address, one tile on.
    const Ramp *ramp = load.index.as<Ramp>();
    Expr first = ramp ? ramp->base : load.index;
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
      first = substitute((*let)->name, (*let)->value, first);
    Expr tile = Variable::make(Int(32), tileLoop->name);
    Expr next = substitute(tileLoop->name, tile + stream.nextTile, first);
    // How many visits of this loop came before, in all loops from the one over
    // row tiles on; those inside it run over k.
    Expr visit = 0;
    for (const For *outer : rowLoops) {
      visit = visit * outer->extent +
              (Variable::make(Int(32), outer->name) - outer->min);
      if (outer != rowLoops.front())
        next = substitute(outer->name, outer->min, next);
    }

    const int lineElements = int(families::lineBytes) / stream.type.bytes();
    int linesPerRow = std::max(1, stream.tileColumns / lineElements);
    int lines = stream.depth * linesPerRow;
    Stmt body = loop->body;
    for (int i = stream.linesPerStep - 1; i >= 0; --i) {
      Expr line = min(visit * stream.linesPerStep + i, lines - 1);
      Expr index = next + line / linesPerRow * stream.panel +
                   line % linesPerRow * lineElements;
      Expr call = Call::make(stream.type, Call::prefetch,
                             {Variable::make(Handle(), stream.buffer),
                              simplify(index), 1, lineElements},
                             Call::Intrinsic);
      body = Block::make(Evaluate::make(call), body);
    }
    return For::make(loop->name, loop->min, loop->extent, loop->for_type,
                     loop->partition_policy, loop->device_api, body);
  }

  const WeightStream stream;
  const For *tileLoop = nullptr;
  std::vector<const For *> rowLoops; ///< over row tiles, and those inside it
  std::vector<const LetStmt *> lets;
};

} // namespace

IRMutator *spreadPrefetch(const WeightStream &stream) {
  return new SpreadPrefetch(stream);
}

} // namespace vitc::halide
