// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite.h"

#include <tvm/ffi/container/tuple.h>

namespace vitc::tvm_backend {

static int32_t typeIndexOf(const std::string &key) {
  TVMFFIByteArray bytes{key.data(), key.size()};
  int32_t index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&bytes, &index));
  return index;
}

Node rewriteNodes(const Node &root,
                  const std::map<std::string, Rewrite> &rewrites) {
  constexpr int postOrder = 1;
  ffi::Array<ffi::Tuple<int32_t, ffi::Function>> callbacks;
  for (const auto &[key, rewrite] : rewrites)
    callbacks.push_back(ffi::Tuple<int32_t, ffi::Function>(
        typeIndexOf(key), ffi::Function::FromTyped(rewrite)));
  return make("ffi.StructuralMap", root, callbacks,
              ffi::Array<ffi::Tuple<int32_t, ffi::Function>>(), postOrder);
}

Node substitute(const Node &root, const Node &variable, const Expr &value) {
  return rewriteNodes(root, {{"ir.Var", [&](const Node &node) {
                                return node.same_as(variable) ? value.node
                                                              : node;
                              }}});
}

void visitNodes(const Node &root, const char *typeKey,
                const std::function<void(const Node &)> &visit) {
  rewriteNodes(root, {{typeKey, [&](const Node &node) {
                         visit(node);
                         return node;
                       }}});
}

int64_t constant(const Node &node) {
  return field(node, "value").cast<int64_t>();
}

Node sequence(const std::vector<Node> &statements) {
  if (statements.size() == 1)
    return statements.front();
  Nodes array;
  for (const Node &statement : statements)
    array.push_back(statement);
  return make("tirx.SeqStmt", array, nullptr);
}

} // namespace vitc::tvm_backend
