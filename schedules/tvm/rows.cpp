// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"

#include <limits>

namespace vitc::tvm_backend {

std::vector<Run> runsOf(int total, int each) {
  std::vector<Run> runs;
  if (total >= each)
    runs.push_back({0, each, total / each});
  if (total % each > 0)
    runs.push_back({total / each * each, total % each, 1});
  return runs;
}

/// `place` with `last` behind it.
static Place with(Place place, const Expr &last) {
  place.push_back(last);
  return place;
}

RowReduction
reduceRow(const std::string &name, Combine combine,
          const std::vector<int> &shape, int cols, int readable, int lanes,
          const std::function<Expr(const Place &, const Expr &)> &element,
          int chains) {
  auto both = [&](const Expr &a, const Expr &b) {
    return combine == Combine::Sum ? a + b : greaterOf(a, b);
  };
  const Expr neutral =
      combine == Combine::Sum ? 0.0f : std::numeric_limits<float>::lowest();
  auto shaped = [&](int last) {
    std::vector<int> result = shape;
    result.push_back(last);
    return result;
  };
  auto rowOf = [&](const Place &place) {
    return Place(place.begin(), place.begin() + shape.size());
  };

  // The number of vectors divides the row with its padding, so that the last
  // ones are loaded like the others.
  int vectors = std::max(cols, readable - readable % lanes) / lanes;
  const int width = lanes * divisorUpTo(std::max(vectors, 1), chains);
  const int blocks = cols / width, rest = cols % width;
  // What is left of a block is read like a whole one where the padding allows
  // it, and element by element where not.
  const bool restInLanes = rest > 0 && readable >= (blocks + 1) * width,
             restApart = rest > 0 && !restInLanes;
  RowReduction result;
  result.lanes = lanes;
  if (blocks > 0)
    result.partial.push_back(reduce(
        name + "_blocks", combine, shaped(width), {blocks},
        [&](const Place &place, const Place &k) {
          return element(rowOf(place), k[0] * Expr(width) + place.back());
        }));
  auto lane = [&](const Place &row, const Expr &column) {
    Expr value = neutral;
    if (blocks > 0)
      value = result.partial[0].at(with(row, column));
    if (!restInLanes)
      return value;
    Expr there = select(column < Expr(rest),
                        element(row, Expr(blocks * width) + column), neutral);
    return blocks > 0 ? both(value, there) : there;
  };
  if (restApart)
    result.rest.push_back(reduce(name + "_rest", combine, shape, {rest},
                                 [&](const Place &row, const Place &k) {
                                   return element(row,
                                                  Expr(blocks * width) + k[0]);
                                 }));
  if (restApart && blocks == 0) {
    result.total = compute(
        name, shape, [&](const Place &row) { return result.rest[0].at(row); });
    return result;
  }
  result.tree.push_back(
      compute(name + "_folded", shaped(lanes), [&](const Place &place) {
        Expr folded = lane(rowOf(place), place.back());
        for (int chain = 1; chain < width / lanes; ++chain)
          folded = both(folded,
                        lane(rowOf(place), place.back() + Expr(chain * lanes)));
        return folded;
      }));
  for (int half = lanes / 2; half > 1; half /= 2) {
    Tensor before = result.tree.back();
    result.tree.push_back(compute(
        name + "_half" + std::to_string(half), shaped(half),
        [&](const Place &place) {
          return both(before.at(place),
                      before.at(with(rowOf(place), place.back() + Expr(half))));
        }));
  }
  Tensor last = result.tree.back();
  result.total = compute(name, shape, [&](const Place &row) {
    Expr total = lanes == 1
                     ? last.at(with(row, 0))
                     : both(last.at(with(row, 0)), last.at(with(row, 1)));
    return restApart ? both(total, result.rest[0].at(row)) : total;
  });
  return result;
}

void scheduleReduction(Loops &loops, const RowReduction &reduction,
                       const Loop &level, int together) {
  auto place = [&](const Tensor &tensor) {
    loops.computeAt(tensor, level);
    loops.keepLocal(tensor);
  };
  auto unrollRows = [&](const std::vector<Loop> &all, int inner) {
    for (int i = 0; i < together; ++i)
      loops.unroll(all[all.size() - inner - 1 - i]);
  };
  place(reduction.total);
  unrollRows(loops.around(reduction.total), 0);
  for (size_t i = reduction.tree.size(); i-- > 0;) {
    place(reduction.tree[i]);
    std::vector<Loop> all = loops.around(reduction.tree[i]);
    loops.vectorize(all.back());
    unrollRows(all, 1);
  }
  for (const Tensor &rest : reduction.rest)
    place(rest);
  for (const Tensor &partial : reduction.partial) {
    place(partial);
    std::vector<Loop> all = loops.around(partial);
    std::vector<Loop> lanes =
        loops.split(all[all.size() - 2], {0, reduction.lanes});
    std::vector<Loop> order = {all.back()};
    order.insert(order.end(), all.end() - 2 - together, all.end() - 2);
    order.insert(order.end(), lanes.begin(), lanes.end());
    loops.reorder(order);
    loops.vectorize(lanes[1]);
    loops.unroll(lanes[0]);
    unrollRows(all, 2);
    loops.decompose(partial, order.front());
  }
}

void addRowStage(Kernel &kernel, int rows, const RowTasks &tasks,
                 const std::function<void(Part &, const Run &)> &define) {
  Stage stage{{}, tasks.parallel};
  for (const Run &run : runsOf(rows, tasks.rows)) {
    Part part;
    define(part, run);
    stage.sections.push_back({run.tasks, {std::move(part)}});
  }
  kernel.stages.push_back(std::move(stage));
}

Loop scheduleRows(Part &part, const Tensor &out, int lanes) {
  Loops &loops = part.schedule();
  std::vector<Loop> all = loops.around(out);
  loops.tasks(all.front());
  loops.vectorize(loops.split(all.back(), {0, lanes})[1]);
  return all[all.size() - 2];
}

} // namespace vitc::tvm_backend
