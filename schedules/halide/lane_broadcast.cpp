// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lane_broadcast.h"

#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace vitc::halide {

namespace {

/// What a loop's body reads and writes.
class Accesses : public IRVisitor {
public:
  std::vector<const Load *> broadcasts; ///< of single floats
  std::set<std::string> stored;
  bool innermost = true;

private:
  using IRVisitor::visit;
  void visit(const Broadcast *op) override {
    if (const Load *load = op->value.as<Load>();
        load && load->type == Float(32) && is_const_one(load->predicate))
      broadcasts.push_back(load);
    IRVisitor::visit(op);
  }
  void visit(const Store *op) override {
    stored.insert(op->name);
    IRVisitor::visit(op);
  }
  void visit(const For *) override { innermost = false; }
};

/// Loads from one buffer at constant distances.
struct Row {
  const Load *first;
  std::map<int64_t, std::vector<const Load *>> loads; ///< by distance
};

/// Which lane of which vector a load is.
struct Lane {
  Expr start; ///< index of the vector's first element
  int number;
};

class BroadcastLanes : public IRMutator {
public:
  explicit BroadcastLanes(int lanes) : lanes(lanes) {}

private:
  using IRMutator::visit;

  Stmt visit(const For *op) override {
    Accesses accesses;
    op->body.accept(&accesses);
    if (!accesses.innermost)
      return IRMutator::visit(op);
    places.clear();
    for (const Row &row : rowsOf(accesses))
      findVectors(row);
    Stmt result = IRMutator::visit(op);
    places.clear();
    return result;
  }

  static std::vector<Row> rowsOf(const Accesses &accesses) {
    std::vector<Row> rows;
    for (const Load *load : accesses.broadcasts) {
      // A vector is read at once, and sees no store in between.
      if (accesses.stored.count(load->name))
        continue;
      bool found = false;
      for (Row &row : rows) {
        if (row.first->name != load->name)
          continue;
        auto distance = as_const_int(simplify(load->index - row.first->index));
        if (!distance)
          continue;
        row.loads[*distance].push_back(load);
        found = true;
        break;
      }
      if (!found)
        rows.push_back({load, {{0, {load}}}});
    }
    return rows;
  }

  /// Notes the vectors that the row's runs of neighbours make.
  void findVectors(const Row &row) {
    std::vector<int64_t> run;
    for (auto &[distance, loads] : row.loads) {
      if (!run.empty() && run.back() + 1 != distance)
        run.clear();
      run.push_back(distance);
      if (int(run.size()) < lanes)
        continue;
      Expr start = simplify(row.first->index + int(run.front()));
      for (int lane = 0; lane < lanes; ++lane)
        for (const Load *load : row.loads.at(run[lane]))
          places[load] = {start, lane};
      run.clear();
    }
  }

  Expr visit(const Load *op) override {
    auto place = places.find(op);
    if (place == places.end())
      return IRMutator::visit(op);
    Expr vector = Load::make(
        Float(32, lanes), op->name, Ramp::make(place->second.start, 1, lanes),
        op->image, op->param, const_true(lanes), ModulusRemainder());
    return Shuffle::make_extract_element(vector, place->second.number);
  }

  const int lanes;
  std::map<const Load *, Lane> places;
};

} // namespace

IRMutator *broadcastLanes(int lanes) { return new BroadcastLanes(lanes); }

} // namespace vitc::halide
