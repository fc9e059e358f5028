// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// NumPy's .npy files, as input and output of the tool.
#ifndef VITC_SUPPORT_NPY_H
#define VITC_SUPPORT_NPY_H

#include "vitc/Support/Error.h"

#include <cstdint>
#include <vector>

namespace vitc {

struct NpyArray {
  enum class Type { U8, F32, F64, I64 } type = Type::F32;
  std::vector<int64_t> shape;
  std::vector<unsigned char> data; ///< row-major, little-endian
  int64_t elements() const;
};

/// What stands before an array's data.
struct NpyHead {
  std::string descr; ///< the element type as NumPy spells it: "<f4"
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  size_t bytes = 0; ///< of the head itself, its length included
};

/// The head at the start of `start`, which may end before the data does.
/// `place` is what messages call the array.
llvm::Expected<NpyHead> readNpyHead(llvm::StringRef place,
                                    llvm::StringRef start);
/// Why data of the type `descr` is not read.
llvm::Error npyTypeError(llvm::StringRef place, llvm::StringRef descr,
                         llvm::StringRef expected);

/// C order, little-endian, the types above; the head is checked against the
/// file's size before anything is allocated.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);
llvm::Error writeNpy(llvm::StringRef path, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<float> data);

} // namespace vitc

#endif // VITC_SUPPORT_NPY_H
