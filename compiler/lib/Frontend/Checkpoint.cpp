#include "vitc/Frontend/Checkpoint.h"

#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;

namespace vitc {

int64_t TensorInfo::elements() const {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

const TensorInfo *Checkpoint::find(StringRef name) const {
  ArrayRef<TensorInfo> all = tensors();
  const TensorInfo *it =
      lower_bound(all, name, [](const TensorInfo &tensor, StringRef wanted) {
        return StringRef(tensor.name) < wanted;
      });
  return it != all.end() && it->name == name ? it : nullptr;
}

Expected<const TensorInfo *> Checkpoint::get(StringRef name,
                                             ArrayRef<int64_t> shape) const {
  const TensorInfo *tensor = find(name);
  if (!tensor) {
    std::vector<StringRef> names;
    for (const TensorInfo &other : tensors())
      names.push_back(other.name);
    StringRef nearest = nearestName(name, names);
    std::string hint = nearest.empty()
                           ? std::string()
                           : "; the nearest name there is " + inQuotes(nearest);
    return userError(describe(), "the tensor " + inQuotes(name) + " of shape " +
                                     shownShape(shape) + " is missing" + hint);
  }
  if (ArrayRef<int64_t>(tensor->shape) != shape)
    return userError(tensor->place, "the tensor " + inQuotes(name) +
                                        " has the shape " +
                                        shownShape(tensor->shape) +
                                        ", expected " + shownShape(shape));
  switch (tensor->type) {
  case StoredType::F64:
  case StoredType::F32:
  case StoredType::F16:
  case StoredType::BF16:
    return tensor;
  default: // indices and masks are no weights
    return userError(tensor->place,
                     "the tensor " + inQuotes(name) + " has the dtype " +
                         storedTypeName(tensor->type) +
                         ", expected F64, F32, F16 or BF16");
  }
}

template <typename T>
static int64_t countNonFiniteAs(const Checkpoint &checkpoint,
                                const TensorInfo &tensor) {
  constexpr int64_t chunk = 16384; // stays in the first-level cache
  std::vector<T> values(std::min(chunk, tensor.elements()));
  int64_t count = 0;
  for (int64_t first = 0; first < tensor.elements(); first += chunk) {
    size_t size = std::min(chunk, tensor.elements() - first);
    checkpoint.read(tensor, first, MutableArrayRef<T>(values.data(), size));
    for (size_t i = 0; i < size; ++i)
      count += !std::isfinite(values[i]);
  }
  return count;
}

int64_t countNonFinite(const Checkpoint &checkpoint, const TensorInfo &tensor) {
  switch (tensor.type) {
  case StoredType::F64: // a large one is only infinite as a float
    return countNonFiniteAs<double>(checkpoint, tensor);
  case StoredType::F32:
  case StoredType::F16:
  case StoredType::BF16:
    return countNonFiniteAs<float>(checkpoint, tensor);
  default:
    return 0;
  }
}

/// There, even as a link that leads nowhere: opening it then says so.
static bool isThere(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status, /*follow=*/false);
}

/// The first file in `folder` that holds weights in a format that is not read.
static std::string findOtherWeights(StringRef folder) {
  std::vector<std::string> others;
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    StringRef name = sys::path::filename(it->path());
    for (StringRef extension :
         {".npz", ".pth", ".pt", ".bin", ".ckpt", ".h5", ".msgpack", ".onnx"})
      if (name.ends_with(extension))
        others.push_back(name.str());
  }
  return others.empty() ? "" : *min_element(others);
}

/// One line of Python that makes the file that is read.
static std::string conversionHint(StringRef name) {
  if (name.ends_with(".npz"))
    return "convert it with: python -c \"import numpy, safetensors.numpy as s; "
           "s.save_file(dict(numpy.load('" +
           name.str() + "')), 'model.safetensors')\"";
  if (name.ends_with(".pth") || name.ends_with(".pt") ||
      name.ends_with(".bin") || name.ends_with(".ckpt"))
    return "convert it with: python -c \"import torch, safetensors.torch as s; "
           "s.save_file(torch.load('" +
           name.str() + "', weights_only=True), 'model.safetensors')\"";
  return "save the model as model.safetensors from the library it comes from";
}

Expected<std::unique_ptr<Checkpoint>> openCheckpoint(StringRef folder) {
  if (!sys::fs::is_directory(folder))
    return userError(folder, sys::fs::exists(folder)
                                 ? "is not a folder, expected a model's folder"
                                 : "the folder does not exist");
  SmallString<256> path(folder);
  sys::path::append(path, "model.safetensors");
  if (isThere(path))
    return openSafetensors(path);
  path += ".index.json";
  if (isThere(path))
    return openShardedSafetensors(path);

  std::string other = findOtherWeights(folder);
  std::string hint = other.empty() ? std::string()
                                   : "; " + inQuotes(other) +
                                         " is in a format that is not "
                                         "read yet, " +
                                         conversionHint(other);
  return userError(folder, "the folder has no weights: looked for "
                           "model.safetensors and "
                           "model.safetensors.index.json" +
                               hint);
}

} // namespace vitc
