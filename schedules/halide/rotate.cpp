// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// rotate: rotary position embedding, each pair of a head's channels turned by
/// its token's angles.
#include "gpu/elements.h"
#include "kernel.h"
#include "rows.h"

using namespace Halide;

namespace vitc::halide {

Kernel buildRotate(const families::RotateShape &spec, Schedule &schedule,
                   const Machine &machine) {
  const int rows = spec.rows, tokens = spec.tokens, heads = spec.heads,
            headDim = spec.headDim, tableHeads = spec.tableHeads;
  const int ldx = spec.ldx, ldy = spec.ldy, ldt = spec.ldt;
  const bool halves = spec.pairing == families::RotaryPairing::Halves;

  // ---- Algorithm. Channel d is part s of pair p: s * head_dim / 2 + p in
  // halves, 2 p + s interleaved. Only the strides know which.
  Kernel kernel;
  int pairs = headDim / 2;
  const Dimension pair = {pairs, halves ? 1 : 2},
                  part = {2, halves ? pairs : 1};
  auto inHeads = [&](int stride) -> std::vector<Dimension> {
    return {pair, part, {heads, headDim}, {rows, stride}};
  };
  const std::vector<Dimension> table = {pair,
                                        part,
                                        {std::min(tokens, rows), ldt},
                                        {tableHeads, int64_t(tokens) * ldt}};
  ImageParam x = kernel.input("x", inHeads(ldx), floatAlignment);
  ImageParam cosine = kernel.input("cos", table);
  ImageParam sine = kernel.input("sin", table);
  Var p("p"), s("s"), h("h"), r("r");
  Func both("both"), out("out");
  both(p, s, h, r) = x(p, s, h, r);
  Expr token = tokens >= rows ? Expr(r) : r % tokens;
  Expr tableHead = tableHeads == 1 ? Expr(0) : Expr(h);
  Expr other = select(s == 0, -both(p, 1, h, r), both(p, 0, h, r));
  out(p, s, h, r) = both(p, s, h, r) * cosine(p, s, token, tableHead) +
                    other * sine(p, s, token, tableHead);
  kernel.output(out, "out", inHeads(ldy), floatAlignment);

  // ---- Schedule. Both channels of a pair are read before either is written,
  // so that out may be x.
  if (machine.gpu()) {
    scheduleInThread(both.unroll(s),
                     scheduleElements(out, readThreads(schedule), {s}));
    return kernel;
  }
  Machine narrow = machine;
  narrow.lanes = machine.lanesFor(pairs);
  scheduleRows(out, pairs, rows, /*flopsPerElement=*/2.0 * 6 * heads, schedule,
               narrow);
  out.reorder(s, p, h).unroll(s);
  both.compute_at(out, p)
      .store_in(MemoryType::Register)
      .bound_extent(p, narrow.lanes)
      .bound_extent(s, 2)
      .vectorize(p)
      .unroll(s);
  return kernel;
}

} // namespace vitc::halide
