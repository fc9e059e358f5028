// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredCheckpoint.h"

#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace vitc {

StoredCheckpoint::StoredCheckpoint(
    StringRef path, std::vector<std::unique_ptr<MemoryBuffer>> owned,
    std::vector<StoredTensor> tensors)
    : path(path), owned(std::move(owned)) {
  llvm::sort(tensors, [](const StoredTensor &a, const StoredTensor &b) {
    return a.info.name < b.info.name;
  });
  for (StoredTensor &tensor : tensors) {
    infos.push_back(std::move(tensor.info));
    data.push_back(tensor.data);
    strides.push_back(std::move(tensor.strides));
  }
}

/// Walks the elements in row-major order. Only transposed and sliced tensors
/// come here, so that one at a time is fast enough.
template <typename Out>
static void gather(const TensorInfo &tensor, const char *data,
                   ArrayRef<int64_t> strides, int64_t first,
                   MutableArrayRef<Out> out) {
  if (out.empty())
    return;
  unsigned bytes = storedTypeBytes(tensor.type);
  size_t rank = tensor.shape.size();
  std::vector<int64_t> index(rank);
  int64_t offset = 0;
  for (size_t axis = rank; axis-- > 0; first /= tensor.shape[axis]) {
    index[axis] = first % tensor.shape[axis];
    offset += index[axis] * strides[axis];
  }
  for (Out &value : out) {
    convertStored(tensor.type, data + offset * bytes,
                  MutableArrayRef<Out>(value));
    for (size_t axis = rank; axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < tensor.shape[axis])
        break;
      offset -= strides[axis] * tensor.shape[axis];
      index[axis] = 0;
    }
  }
}

template <typename Out>
void StoredCheckpoint::readAs(const TensorInfo &tensor, int64_t first,
                              MutableArrayRef<Out> out) const {
  const TensorInfo *mine = find(tensor.name);
  if (!mine || mine->type != tensor.type)
    report_fatal_error(Twine("read of a tensor that is not in the file: ") +
                       tensor.name);
  checkReadRange(*mine, first, out.size());
  size_t number = mine - infos.data();
  if (strides[number].empty())
    convertStored(mine->type,
                  data[number] + first * storedTypeBytes(mine->type), out);
  else
    gather(*mine, data[number], strides[number], first, out);
}

void StoredCheckpoint::read(const TensorInfo &tensor, int64_t first,
                            MutableArrayRef<float> out) const {
  readAs(tensor, first, out);
}

void StoredCheckpoint::read(const TensorInfo &tensor, int64_t first,
                            MutableArrayRef<double> out) const {
  readAs(tensor, first, out);
}

void StoredCheckpoint::read(const TensorInfo &tensor, int64_t first,
                            MutableArrayRef<int64_t> out) const {
  readAs(tensor, first, out);
}

} // namespace vitc
