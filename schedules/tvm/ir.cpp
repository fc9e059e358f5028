// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir.h"

#include <tvm/ffi/reflection/accessor.h>

namespace vitc::tvm_backend {

Node typeOf(DLDataType type) { return make("ir.PrimType", type); }

ffi::Any field(const Node &node, const char *name) {
  return ffi::reflection::FieldGetter(node.GetTypeKey(), name)(node.get());
}

Node child(const Node &node, const char *name) {
  return field(node, name).cast<Node>();
}

bool isA(const Node &node, const char *typeKey) {
  return node.defined() && node.GetTypeKey() == typeKey;
}

Expr::Expr(int value)
    : node(make("ir.IntImm", int32, int64_t(value), nullptr)) {}

Expr::Expr(float value)
    : node(make("ir.FloatImm", float32, double(value), nullptr)) {}

static Expr binary(const char *name, const Expr &a, const Expr &b) {
  return make(name, a.node, b.node, nullptr);
}

Expr operator+(const Expr &a, const Expr &b) {
  return binary("prim._OpAdd", a, b);
}
Expr operator-(const Expr &a, const Expr &b) {
  return binary("prim._OpSub", a, b);
}
Expr operator*(const Expr &a, const Expr &b) {
  return binary("prim._OpMul", a, b);
}
Expr operator/(const Expr &a, const Expr &b) {
  return binary("prim._OpDiv", a, b);
}
Expr operator-(const Expr &a) { return Expr(0.0f) - a; }
Expr operator<(const Expr &a, const Expr &b) {
  return binary("prim._OpLT", a, b);
}
Expr operator>(const Expr &a, const Expr &b) {
  return binary("prim._OpGT", a, b);
}
Expr operator&&(const Expr &a, const Expr &b) {
  return binary("prim._OpAnd", a, b);
}
Expr floorDiv(const Expr &a, const Expr &b) {
  return binary("prim._OpFloorDiv", a, b);
}
Expr floorMod(const Expr &a, const Expr &b) {
  return binary("prim._OpFloorMod", a, b);
}
Expr lesserOf(const Expr &a, const Expr &b) {
  return binary("prim._OpMin", a, b);
}
Expr greaterOf(const Expr &a, const Expr &b) {
  return binary("prim._OpMax", a, b);
}

Expr select(const Expr &condition, const Expr &yes, const Expr &no) {
  return make("prim.Select", condition.node, yes.node, no.node, nullptr);
}

Expr squareRoot(const Expr &x) {
  return make("ir.Call", typeOf(float32), make("ir.GetOp", "tirx.sqrt"),
              Nodes{x.node}, nullptr, Nodes{}, nullptr);
}

Expr shiftLeft(const Expr &x, int bits) {
  return make("prim.left_shift", x.node, Expr(bits).node, nullptr);
}

Expr reinterpretAs(DLDataType type, const Expr &x) {
  return make("tirx.reinterpret", typeOf(type), x.node, nullptr);
}

Expr variable(const std::string &name, DLDataType type) {
  return make("ir.Var", name, typeOf(type), nullptr);
}

Nodes nodes(const std::vector<Expr> &expressions) {
  Nodes result;
  for (const Expr &expression : expressions)
    result.push_back(expression.node);
  return result;
}

} // namespace vitc::tvm_backend
