// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prefetch.h"

#include "common/tile.h"
#include "rewrite.h"

#include <algorithm>

namespace vitc::tvm_backend {

/// The loops of `body` that carry the mark `key`.
static std::vector<Node> markedLoops(const Node &body, const char *key) {
  std::vector<Node> result;
  visitNodes(body, "tirx.For", [&](const Node &loop) {
    auto marks =
        field(loop, "annotations").cast<ffi::Map<ffi::String, ffi::Any>>();
    if (marks.count(key))
      result.push_back(loop);
  });
  return result;
}

/// The place in `weights` where the first iteration of `loop` starts to read.
static Expr firstPlace(const Node &loop, const Node &weights) {
  Node place;
  visitNodes(loop, "ir.TensorLoad", [&](const Node &load) {
    if (!place.defined() && child(load, "source").same_as(weights))
      place = field(load, "indices").cast<Nodes>()[0].cast<Node>();
  });
  if (!place.defined())
    throw std::logic_error("the inner loop reads no weights");
  // Loops inside are at their start, too.
  visitNodes(loop, "tirx.For", [&](const Node &inner) {
    place = substitute(place, child(inner, "loop_var"), 0);
  });
  return place;
}

Node spreadPrefetch(const Node &body, const WeightStream &stream,
                    const Node &weights, const Node &task) {
  std::vector<Node> inner = markedLoops(body, innerLoop),
                    rows = markedLoops(body, rowTileLoop),
                    columns = markedLoops(body, columnTileLoop);
  if (inner.size() != 1 || rows.size() != 1 || columns.size() > 1)
    throw std::logic_error("the loops of a prefetch are not marked");
  const Node &loop = inner.front();

  Expr tile =
      columns.empty() ? Expr(task) : Expr(child(columns.front(), "loop_var"));
  int step = columns.empty() ? stream.nextTask : 1;
  Expr next =
      substitute(firstPlace(loop, weights).node, tile.node, tile + Expr(step));
  Expr visit =
      Expr(child(rows.front(), "loop_var")) * Expr(child(loop, "extent")) +
      Expr(child(loop, "loop_var"));

  int linesPerRow = std::max(1, stream.tileColumns / lineFloats);
  int lines = stream.depth * linesPerRow;
  std::vector<Node> statements;
  for (int i = 0; i < stream.linesPerStep; ++i) {
    Expr line =
        lesserOf(visit * Expr(stream.linesPerStep) + Expr(i), Expr(lines - 1));
    Expr offset = stream.tileColumns == stream.panel
                      ? line * Expr(lineFloats)
                      : floorDiv(line, linesPerRow) * Expr(stream.panel) +
                            floorMod(line, linesPerRow) * Expr(lineFloats);
    Node place =
        make("tirx.BufferLoad", weights, Nodes{(next + offset).node}, nullptr);
    Node address =
        make("ir.Call", make("ir.PointerType", typeOf(float32), "global"),
             make("ir.GetOp", "tirx.address_of"), Nodes{place}, nullptr,
             Nodes{}, nullptr);
    // For reading, into the second-level cache, data.
    Node prefetch =
        make("ir.Call", typeOf(nothing), make("ir.GetOp", "tirx.prefetch"),
             Nodes{address, Expr(0).node, Expr(2).node, Expr(1).node}, nullptr,
             Nodes{}, nullptr);
    statements.push_back(make("tirx.Evaluate", prefetch, nullptr));
  }
  statements.push_back(child(loop, "body"));
  Node replaced =
      make("tirx.For", child(loop, "loop_var"), child(loop, "min"),
           child(loop, "extent"), field(loop, "kind").cast<int>(),
           sequence(statements), nullptr, nullptr, nullptr, nullptr);
  return rewriteNodes(
      body, {{"tirx.For", [&](const Node &node) {
                return child(node, "loop_var").same_as(child(loop, "loop_var"))
                           ? replaced
                           : node;
              }}});
}

} // namespace vitc::tvm_backend
