// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// quantize: rows as bytes with a scale and an offset of their own, or as
/// bfloat16.
#include "quantize.h"

#include "math.h"

using namespace Halide;

namespace vitc::halide {

using families::RowFormat;

/// What a signed byte is less than its value.
constexpr int signedBias = 128;

int NarrowRows::rowElements() const {
  return format == RowFormat::U8
             ? roundUp(cols, families::lineBytes) + int(families::lineBytes)
             : roundUp(cols, families::bf16Line);
}

/// Halves of the values are compared and subtracted, since the difference of
/// two floats may be none. A range below `leastRange` would have an infinite
/// inverse; its values all become 0.
Expr NarrowRows::byte(Func element, Var c, Var r) {
  constexpr float leastRange = 1e-30f;
  auto most = [&](const std::string &name, float sign) {
    reductions.push_back(
        reduceRow(name, Combine::Max, cols, cols, {r}, machine,
                  [&](Expr column) { return element(column, r) * sign; }));
    return reductions.back().total;
  };
  auto value = [&](const std::string &name, Expr expr) {
    values.push_back(Func(name));
    values.back()(r) = expr;
    return values.back();
  };
  Func half = most("half", 0.5f), minusHalf = most("minus_half", -0.5f);
  Func range = value("range", greaterOf(half(r) + minusHalf(r), leastRange));
  const int mostByte = machine.mostByte, bitsOfByte = 255;
  Func inverse = value("inverse", float(mostByte) / range(r));
  Expr scale = range(r) * float(2.0 / mostByte);
  Expr offset = minusHalf(r) * -2.0f;
  if (machine.signedRows)
    offset += scale * float(signedBias);
  Func words = value("scale", reinterpret<uint32_t>(scale));
  Func offsetWord = value("offset", reinterpret<uint32_t>(offset));

  // 3·2^22 leaves no bits for a fraction: the sum is rounded to the nearest,
  // and the number is in its low bits.
  constexpr float rounder = 12582912.0f;
  Expr x = element(min(c, cols - 1), r) * 0.5f;
  Expr rounded = strict_float((x + minusHalf(r)) * inverse(r) + rounder);
  Expr bits = reinterpret<int32_t>(rounded) & bitsOfByte;
  if (machine.signedRows)
    bits = bits ^ signedBias;

  // Behind the values zeros, then the scale and the offset.
  const int line = roundUp(cols, families::lineBytes);
  Expr place = c - line;
  Expr word = select(place < 4, words(r), offsetWord(r));
  Expr tail = select(place >= 0 && place < 8,
                     (word >> (cast<uint32_t>(place) % 4 * 8)) & bitsOfByte,
                     cast<uint32_t>(0));
  return select(likely(c < cols), cast<uint8_t>(bits), cast<uint8_t>(tail));
}

void NarrowRows::define(Func out, Func element, int readable) {
  Var c("c"), r("r");
  if (format == RowFormat::U8) {
    out(c, r) = byte(element, c, r);
    return;
  }
  // Round to nearest, halves to even; a NaN stays one.
  Expr x = element(min(c, std::min(cols, readable) - 1), r);
  Expr bits = reinterpret<uint32_t>(x);
  Expr nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  Expr rounded = select(x != x, (bits >> 16) | 0x40, nearest);
  out(c, r) =
      cast<uint16_t>(select(likely(c < cols), rounded, cast<uint32_t>(0)));
}

void NarrowRows::schedule(LoopLevel row) {
  for (RowReduction &reduction : reductions)
    scheduleReduction(reduction, row);
  for (Func &value : values)
    scheduleValue(value, row, machine);
}

RowScale rowScale(const ImageParam &rows, const Var &m, int cols) {
  const int line = roundUp(cols, families::lineBytes);
  auto word = [&](int place) {
    Expr bits = cast<uint32_t>(0);
    for (int byte = 0; byte < 4; ++byte)
      bits =
          bits | (cast<uint32_t>(rows(line + place + byte, m)) << (8 * byte));
    return reinterpret<float>(bits);
  };
  return {word(0), word(4)};
}

Kernel buildQuantize(const families::QuantizeShape &spec, Schedule &schedule,
                     const Machine &machine) {
  if (machine.gpu())
    fail(&families::QuantizeShape::format, "no GPU has such rows");
  // ---- Algorithm
  Kernel kernel;
  Var c("c"), r("r");
  ImageParam x = kernel.input("x", {{spec.cols, 1}, {spec.rows, spec.ldx}},
                              floatAlignment);
  NarrowRows narrow(spec.format, spec.cols, machine);
  Func element("element"), out("out");
  element(c, r) = x(c, r);
  narrow.define(out, element, spec.cols);
  kernel.output(out, "out", {{spec.rowElements(), 1}, {spec.rows, spec.ldy}});

  // ---- Schedule. A row stays in the first-level cache.
  constexpr double flopsPerElement = 6;
  narrow.schedule(scheduleRows(out, spec.rowElements(), spec.rows,
                               flopsPerElement, schedule, machine));
  return kernel;
}

} // namespace vitc::halide
