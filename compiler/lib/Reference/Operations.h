/// The operations of the vit dialect on tensors of doubles, one function each;
/// definitions as in ViTOps.td.
#ifndef VITC_LIB_REFERENCE_OPERATIONS_H
#define VITC_LIB_REFERENCE_OPERATIONS_H

#include "vitc/Reference/Interpreter.h"

namespace vitc::reference {

/// Optional operands are null pointers.
Tensor patchEmbed(const Tensor &image, const Tensor &weight, const Tensor *bias,
                  const Tensor *position);
Tensor concatTokens(const Tensor &tokens, const Tensor &sequence);
Tensor resizePosition(const Tensor &table, std::pair<int64_t, int64_t> from,
                      std::pair<int64_t, int64_t> to, int64_t prefix);
Tensor addPosition(const Tensor &sequence, const Tensor &position);
Tensor layerNorm(const Tensor &input, const Tensor *gain, const Tensor *bias,
                 double eps);
Tensor linear(const Tensor &input, const Tensor &weight, const Tensor *bias);
Tensor activate(Tensor input, vit::Activation function);
/// `probabilities` may be null.
Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value,
                 int64_t heads, double scale, Tensor *probabilities);
Tensor singleQueryAttention(const Tensor &sequence, const Tensor &query,
                            const Tensor &key, const Tensor &value,
                            int64_t heads, double scale);
Tensor add(Tensor lhs, const Tensor &rhs);
Tensor pool(const Tensor &sequence, vit::PoolKind kind, int64_t first);
Tensor softmax(Tensor input);
Tensor stack(llvm::ArrayRef<const Tensor *> inputs);
Tensor concat(llvm::ArrayRef<const Tensor *> inputs, int64_t dimension);
Tensor slice(const Tensor &input, int64_t dimension, int64_t offset,
             int64_t extent);

Tensor fill(llvm::ArrayRef<int64_t> shape, double value);
Tensor scale(Tensor input, double factor);
Tensor scaleColumns(Tensor matrix, const Tensor &factors);

} // namespace vitc::reference

#endif // VITC_LIB_REFERENCE_OPERATIONS_H
