// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A checkpoint whose tensors stand in memory as a file stores them: mapped, or
/// inflated once. What every file format comes down to after its checks.
#ifndef VITC_LIB_CHECKPOINT_STOREDCHECKPOINT_H
#define VITC_LIB_CHECKPOINT_STOREDCHECKPOINT_H

#include "vitc/Checkpoint/Checkpoint.h"
#include "llvm/Support/MemoryBuffer.h"

namespace vitc {

struct StoredTensor {
  TensorInfo info;
  const char *data = nullptr; ///< of the first element, little-endian, with any
                              ///< alignment
  /// Elements from one index of an axis to the next; row-major if empty. Every
  /// element that they reach must stand in memory.
  std::vector<int64_t> strides;
};

class StoredCheckpoint : public Checkpoint {
public:
  /// `owned` is the memory that the tensors point into.
  StoredCheckpoint(llvm::StringRef path,
                   std::vector<std::unique_ptr<llvm::MemoryBuffer>> owned,
                   std::vector<StoredTensor> tensors);

  llvm::ArrayRef<TensorInfo> tensors() const override { return infos; }
  void read(const TensorInfo &tensor, int64_t first,
            llvm::MutableArrayRef<float> out) const override;
  void read(const TensorInfo &tensor, int64_t first,
            llvm::MutableArrayRef<double> out) const override;
  void read(const TensorInfo &tensor, int64_t first,
            llvm::MutableArrayRef<int64_t> out) const override;
  std::string describe() const override { return path; }

private:
  template <typename Out>
  void readAs(const TensorInfo &tensor, int64_t first,
              llvm::MutableArrayRef<Out> out) const;

  std::string path;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> owned;
  std::vector<TensorInfo> infos;
  /// Parallel to infos.
  std::vector<const char *> data;
  std::vector<std::vector<int64_t>> strides;
};

} // namespace vitc

#endif // VITC_LIB_CHECKPOINT_STOREDCHECKPOINT_H
