// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Conversion of stored little-endian elements to the types that the compiler
/// computes with.
#ifndef VITC_LIB_CHECKPOINT_STOREDDATA_H
#define VITC_LIB_CHECKPOINT_STOREDDATA_H

#include "vitc/Checkpoint/Checkpoint.h"

#include <optional>

namespace vitc {

/// The type that safetensors spells `name`, if it is one that is read.
std::optional<StoredType> storedTypeFromName(llvm::StringRef name);

/// Reads out.size() elements at `data`, which may have any alignment.
void convertStored(StoredType type, const char *data,
                   llvm::MutableArrayRef<float> out);
void convertStored(StoredType type, const char *data,
                   llvm::MutableArrayRef<double> out);
/// Only for integers and booleans.
void convertStored(StoredType type, const char *data,
                   llvm::MutableArrayRef<int64_t> out);

/// Bytes of a tensor, unless they overflow: none of the extents may, even where
/// another one of 0 empties the tensor. Extents are not negative.
std::optional<int64_t> checkedBytes(unsigned elementBytes,
                                    llvm::ArrayRef<int64_t> shape);

/// `[48,3,8,8]`.
std::string shownShape(llvm::ArrayRef<int64_t> shape);

/// Stops the compiler if [first, first + count) is not inside the tensor: a
/// caller's mistake that must not become a stray read.
void checkReadRange(const TensorInfo &tensor, int64_t first, size_t count);

} // namespace vitc

#endif // VITC_LIB_CHECKPOINT_STOREDDATA_H
