// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A thin view of TVM's compiler: its functions are found by name in tvm-ffi's
/// registry, since the wheel brings no compiler headers. Nothing here runs
/// Python.
#ifndef VITC_SCHEDULES_TVM_IR_H
#define VITC_SCHEDULES_TVM_IR_H

#include <tvm/ffi/tvm_ffi.h>

#include <string>
#include <vector>

namespace vitc::tvm_backend {

namespace ffi = ::tvm::ffi;
using Node = ffi::ObjectRef;
using Nodes = ffi::Array<ffi::Any>;

/// Calls the registered function `name`.
template <class... Arguments>
ffi::Any call(const char *name, Arguments &&...arguments) {
  return ffi::Function::GetGlobalRequired(name)(
      std::forward<Arguments>(arguments)...);
}

/// The same for functions that return an object.
template <class... Arguments>
Node make(const char *name, Arguments &&...arguments) {
  return call(name, std::forward<Arguments>(arguments)...)
      .template cast<Node>();
}

inline constexpr DLDataType float32{kDLFloat, 32, 1};
inline constexpr DLDataType int32{kDLInt, 32, 1};
inline constexpr DLDataType boolean{kDLBool, 8, 1};
inline constexpr DLDataType nothing{kDLOpaqueHandle, 0, 0}; ///< void

Node typeOf(DLDataType type);

/// The field `name` of a node.
ffi::Any field(const Node &node, const char *name);
Node child(const Node &node, const char *name);
bool isA(const Node &node, const char *typeKey);

/// An arithmetic expression.
class Expr {
public:
  Expr(Node node) : node(std::move(node)) {}
  Expr(int value);
  Expr(float value);
  Expr(double value) : Expr(float(value)) {}

  Node node;
};

Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
Expr operator/(const Expr &a, const Expr &b); ///< of floats
Expr operator-(const Expr &a);
Expr operator<(const Expr &a, const Expr &b);
Expr operator>(const Expr &a, const Expr &b);
Expr operator&&(const Expr &a, const Expr &b);
Expr floorDiv(const Expr &a, const Expr &b);
Expr floorMod(const Expr &a, const Expr &b);
Expr lesserOf(const Expr &a, const Expr &b);
Expr greaterOf(const Expr &a, const Expr &b);
/// Both values are computed.
Expr select(const Expr &condition, const Expr &yes, const Expr &no);
Expr squareRoot(const Expr &x);
Expr shiftLeft(const Expr &x, int bits);
/// The same 32 bits as another type.
Expr reinterpretAs(DLDataType type, const Expr &x);
Expr variable(const std::string &name, DLDataType type);

/// `body` of a value that is computed once, however often body uses it.
/// Expressions are trees to TVM: without this each use is a copy.
template <class Body>
Expr let(const char *name, const Expr &value, Body body,
         DLDataType type = float32) {
  Expr name_ = variable(name, type);
  return make("prim.Let", name_.node, value.node, body(name_).node, nullptr);
}

Nodes nodes(const std::vector<Expr> &expressions);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_IR_H
