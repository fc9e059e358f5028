// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Rewriting TVM's statements.
#ifndef VITC_SCHEDULES_TVM_REWRITE_H
#define VITC_SCHEDULES_TVM_REWRITE_H

#include "ir.h"

#include <functional>
#include <map>

namespace vitc::tvm_backend {

/// What becomes of a node, whose children are already rewritten.
using Rewrite = std::function<Node(const Node &)>;

/// `root` with the nodes of the given types rewritten, innermost first.
Node rewriteNodes(const Node &root,
                  const std::map<std::string, Rewrite> &rewrites);

/// `root` with `value` in place of every use of `variable`.
Node substitute(const Node &root, const Node &variable, const Expr &value);

/// Calls `visit` on every node of this type.
void visitNodes(const Node &root, const char *typeKey,
                const std::function<void(const Node &)> &visit);

/// The value of an integer constant.
int64_t constant(const Node &node);

/// One statement after the other.
Node sequence(const std::vector<Node> &statements);

} // namespace vitc::tvm_backend

#endif // VITC_SCHEDULES_TVM_REWRITE_H
