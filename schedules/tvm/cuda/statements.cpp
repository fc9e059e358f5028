// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statements.h"

namespace vitc::tvm_backend {

static Node integer(int64_t value) {
  return make("ir.IntImm", int32, value, nullptr);
}

static Node text(const char *value) {
  return make("ir.StringImm", value, nullptr);
}

static Node callOp(const Node &type, const char *op, const Nodes &arguments) {
  return make("ir.Call", type, make("ir.GetOp", op), arguments, nullptr,
              Nodes{}, nullptr);
}

static Node evaluate(const char *op, const Nodes &arguments) {
  return make("tirx.Evaluate", callOp(typeOf(nothing), op, arguments), nullptr);
}

DeviceMemory::DeviceMemory(const std::string &name, DLDataType type,
                           int64_t elements, const std::string &scope)
    : type(type), scope(scope) {
  Node bufferType =
      make("tirx.BufferType", scope, type, Nodes{integer(elements)}, Nodes{},
           nullptr, /*data_alignment=*/-1, /*offset_factor=*/0, nullptr,
           Nodes{}, nullptr);
  buffer = make("tirx.BufferVar", name, bufferType, nullptr);
}

Expr DeviceMemory::at(const Expr &index) const {
  return make("tirx.BufferLoad", buffer, Nodes{index.node}, nullptr);
}

Node DeviceMemory::store(const Expr &index, const Expr &value) const {
  return make("tirx.BufferStore", buffer, value.node, Nodes{index.node},
              nullptr);
}

Expr DeviceMemory::data() const { return make("tirx.BufferData", buffer); }

Expr DeviceMemory::place(const Expr &offset, int extent, bool written) const {
  constexpr int read = 1, write = 2;
  Node element = callOp(typeOf(type), "tirx.type_annotation", Nodes{});
  return callOp(make("ir.PointerType", typeOf(type), scope),
                "tirx.tvm_access_ptr",
                Nodes{element, data().node, offset.node, integer(extent),
                      integer(written ? write : read)});
}

Node DeviceMemory::allocation() const {
  return make("tirx.AllocBuffer", buffer, ffi::Map<ffi::String, ffi::Any>(),
              nullptr);
}

/// The matrix that an operation concerns: its memory, the shape, its number.
static Nodes matrixArguments(const DeviceMemory &matrices, int number) {
  return Nodes{matrices.data().node, integer(matrixSide), integer(matrixSide),
               integer(matrixSide), integer(number)};
}

Node fillMatrix(const DeviceMemory &matrices, int number, float value) {
  Nodes arguments = matrixArguments(matrices, number);
  arguments.push_back(Expr(value).node);
  return evaluate("tirx.tvm_fill_fragment", arguments);
}

static Node moveMatrix(const char *op, const DeviceMemory &matrices, int number,
                       const DeviceMemory &memory, const Expr &offset,
                       int stride, bool written) {
  Nodes arguments = matrixArguments(matrices, number);
  arguments.push_back(memory.place(offset, matrixSide * stride, written).node);
  arguments.push_back(integer(stride));
  arguments.push_back(text("row_major"));
  return evaluate(op, arguments);
}

Node loadMatrix(const DeviceMemory &matrices, int number,
                const DeviceMemory &from, const Expr &offset, int stride) {
  return moveMatrix("tirx.tvm_load_matrix_sync", matrices, number, from, offset,
                    stride, /*written=*/false);
}

Node storeMatrix(const DeviceMemory &matrices, int number,
                 const DeviceMemory &to, const Expr &offset, int stride) {
  return moveMatrix("tirx.tvm_store_matrix_sync", matrices, number, to, offset,
                    stride, /*written=*/true);
}

Node multiplyMatrices(const DeviceMemory &sums, int sum,
                      const DeviceMemory &lefts, int left,
                      const DeviceMemory &rights, int right) {
  return evaluate("tirx.tvm_mma_sync",
                  Nodes{sums.data().node, integer(sum), lefts.data().node,
                        integer(left), rights.data().node, integer(right),
                        sums.data().node, integer(sum)});
}

Node loop(const std::string &name, int extent,
          const std::function<Node(const Expr &)> &body) {
  constexpr int serial = 0;
  Expr index = variable(name, int32);
  return make("tirx.For", index.node, integer(0), integer(extent), serial,
              body(index), nullptr, nullptr, nullptr, nullptr);
}

Node onlyIf(const Expr &condition, const Node &body) {
  return make("tirx.IfThenElse", condition.node, body, nullptr, nullptr);
}

Node waitForBlock() {
  Node no = make("ir.IntImm", boolean, int64_t(0), nullptr);
  return evaluate("tirx.tvm_storage_sync",
                  Nodes{text("shared"), no, integer(-1)});
}

Node forEach(const std::string &index, int extent,
             const std::function<Node(const Expr &)> &body) {
  constexpr int threadIndex = 1; // tvm::tirx::IterVarType
  Expr var = variable(index, int32);
  Node range =
      make("ir.Range_from_min_extent", integer(0), integer(extent), nullptr);
  Node axis =
      make("tirx.IterVar", range, var.node, threadIndex, index, nullptr);
  return make("tirx.AttrStmt", axis, "thread_extent", integer(extent),
              body(var), nullptr);
}

Expr either(const Expr &condition, const Expr &yes, const Expr &no) {
  return make("prim._OpIfThenElse", condition.node, yes.node, no.node, nullptr);
}

Expr convert(DLDataType type, const Expr &value) {
  return make("prim.Cast", type, value.node, nullptr);
}

} // namespace vitc::tvm_backend
