// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The operations of the vit dialect on tensors of doubles, one function each;
/// definitions as in ViTOps.td. Those on maps stand in MapOperations.cpp, those
/// that resize in Resize.cpp.
#ifndef VITC_LIB_REFERENCE_OPERATIONS_H
#define VITC_LIB_REFERENCE_OPERATIONS_H

#include "vitc/Reference/Interpreter.h"

namespace vitc::reference {

/// Optional operands are null pointers.
Tensor patchEmbed(const Tensor &image, const Tensor &weight, const Tensor *bias,
                  const Tensor *position);
Tensor concatTokens(const Tensor &tokens, const Tensor &sequence);
/// How a map is resized. Factors of zero stand for `to / from`.
struct Resize {
  vit::Interpolation interpolation = vit::Interpolation::Bicubic;
  bool antialias = false;
  std::pair<double, double> factors = {0, 0};
};
Tensor resizePosition(const Tensor &table, std::pair<int64_t, int64_t> from,
                      std::pair<int64_t, int64_t> to, int64_t prefix,
                      const Resize &resize = {});
Tensor addPosition(const Tensor &sequence, const Tensor &position);
Tensor layerNorm(const Tensor &input, const Tensor *gain, const Tensor *bias,
                 double eps, vit::NormKind kind = vit::NormKind::Layer,
                 int64_t groups = 1);
Tensor linear(const Tensor &input, const Tensor &weight, const Tensor *bias);
/// Each row rounded to what the format has.
Tensor quantize(Tensor input, vit::Format format);
Tensor activate(Tensor input, vit::Activation function);
Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value,
                 const Tensor *bias, const Tensor *mask, int64_t heads,
                 double scale, Tensor *probabilities);
Tensor rotate(const Tensor &input, const Tensor &cos, const Tensor &sin,
              int64_t heads, vit::RotaryPairing pairing);
Tensor affine(Tensor input, const Tensor &scale, const Tensor *shift);
Tensor gate(Tensor input, const Tensor &gate, vit::Activation activation);
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

Tensor reshape(Tensor input, llvm::ArrayRef<int64_t> shape);
Tensor transpose(const Tensor &input, llvm::ArrayRef<int64_t> order);

Tensor fill(llvm::ArrayRef<int64_t> shape, double value);
Tensor scale(Tensor input, double factor);
Tensor scaleRows(Tensor tensor, const Tensor &factors);
Tensor exp(Tensor input, double limit);
Tensor inverseRoot(Tensor input, double eps);
Tensor standardize(Tensor weight, double eps);
Tensor scaleColumns(Tensor matrix, const Tensor &factors);

using Extents = llvm::ArrayRef<int64_t>;
Tensor windowPartition(const Tensor &map, Extents grid, Extents window,
                       Extents shift, vit::WindowOrder order);
Tensor windowMerge(const Tensor &windows, Extents grid, Extents window,
                   Extents shift, vit::WindowOrder order);
Tensor windowMask(Extents grid, Extents window, Extents shift, double value);
Tensor relativeBias(const Tensor &table, Extents grid, int64_t prefix);
Tensor spaceToDepth(const Tensor &map, Extents grid, Extents block,
                    vit::BlockOrder order);
/// Without activation and residual.
Tensor conv(const Tensor &input, const Tensor &weight, const Tensor *bias,
            Extents grid, Extents stride, Extents padding);
Tensor depthwiseConv(const Tensor &map, const Tensor &weight,
                     const Tensor *bias, Extents grid, Extents stride,
                     Extents padding);
Tensor groupNorm(const Tensor &map, const Tensor &gain, const Tensor &bias,
                 int64_t groups, double eps);
Tensor spatialPool(const Tensor &map, vit::SpatialPoolKind kind, Extents grid,
                   Extents window, Extents stride, Extents padding,
                   bool padZero);
Tensor resizeMap(const Tensor &map, Extents from, Extents to);

} // namespace vitc::reference

#endif // VITC_LIB_REFERENCE_OPERATIONS_H
