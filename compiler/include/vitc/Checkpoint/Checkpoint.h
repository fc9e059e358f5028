// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A checkpoint: named tensors, wherever they come from. Data is read when it
/// is asked for and never copied whole.
#ifndef VITC_CHECKPOINT_CHECKPOINT_H
#define VITC_CHECKPOINT_CHECKPOINT_H

#include "vitc/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vitc {

enum class StoredType { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

llvm::StringRef storedTypeName(
    StoredType type); ///< as safetensors spells it: "F32", "BF16", "BOOL"
unsigned storedTypeBytes(StoredType type);
/// F64, F32, F16 or BF16: what weights are stored as.
bool isFloatingPoint(StoredType type);

struct TensorInfo {
  std::string name;
  StoredType type = StoredType::F32;
  std::vector<int64_t> shape;
  std::string place; ///< the file it stands in, for messages
  int64_t elements() const;
};

class Checkpoint {
public:
  virtual ~Checkpoint() = default;

  /// All tensors, sorted by name.
  virtual llvm::ArrayRef<TensorInfo> tensors() const = 0;
  /// Elements [first, first + out.size()) of a tensor that is in tensors(), in
  /// row-major order, converted.
  virtual void read(const TensorInfo &tensor, int64_t first,
                    llvm::MutableArrayRef<float> out) const = 0;
  virtual void read(const TensorInfo &tensor, int64_t first,
                    llvm::MutableArrayRef<double> out) const = 0;
  /// The same for a tensor that is stored as integers or booleans.
  virtual void read(const TensorInfo &tensor, int64_t first,
                    llvm::MutableArrayRef<int64_t> out) const = 0;

  const TensorInfo *find(llvm::StringRef name) const;
  /// The tensor of that name and shape, stored as floating-point numbers; else
  /// an error that names the file, both shapes, or the nearest name there is.
  llvm::Expected<const TensorInfo *> get(llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> shape) const;
  /// All values of the tensor of that name and shape, stored as integers or
  /// booleans (an index, a counter); errors as in get().
  llvm::Expected<std::vector<int64_t>>
  getIntegers(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
  /// What messages call the checkpoint: its file or folder.
  virtual std::string describe() const = 0;

private:
  llvm::Expected<const TensorInfo *>
  getOfShape(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
};

/// `model.safetensors`: one file, mapped. Everything in the head is checked
/// before it is believed.
llvm::Expected<std::unique_ptr<Checkpoint>>
openSafetensors(llvm::StringRef path);

/// `model.safetensors.index.json` and the shards it names, which must stand
/// beside it.
llvm::Expected<std::unique_ptr<Checkpoint>>
openShardedSafetensors(llvm::StringRef indexPath);

/// `weights.npz`: NumPy's archive, one array for each tensor. Those that are
/// stored are mapped, those that are deflated are inflated here; every sum is
/// checked.
llvm::Expected<std::unique_ptr<Checkpoint>> openNpz(llvm::StringRef path);

/// Arrays as JAX names and shapes them (Google's vision_transformer and
/// big_vision) as tensors with timm's names and shapes; others as they are.
llvm::Expected<std::unique_ptr<Checkpoint>>
adaptJaxCheckpoint(std::unique_ptr<Checkpoint> arrays);

/// What torch.save writes (`pytorch_model.bin`, `.pth`, `.pt`), read as data:
/// nothing in it is run, and one that names other functions than those that
/// make tensors is refused. Of a checkpoint of training, the state dict is
/// taken that timm takes. The elements are mapped, and the sums of those that
/// the state dict needs are checked.
llvm::Expected<std::unique_ptr<Checkpoint>> openTorch(llvm::StringRef path);

/// `pytorch_model.bin.index.json` and the shards it names.
llvm::Expected<std::unique_ptr<Checkpoint>>
openShardedTorch(llvm::StringRef indexPath);

/// A file of any of these formats, by the ending of its name.
llvm::Expected<std::unique_ptr<Checkpoint>>
openCheckpointFile(llvm::StringRef path);

/// The weights in a model's folder: the file with one of transformers' own
/// names, else the only file that can hold weights; the error lists the names
/// looked for, or found.
llvm::Expected<std::unique_ptr<Checkpoint>>
openCheckpoint(llvm::StringRef folder);

/// Tensors of the wanted names and shapes with values drawn from `seed` and the
/// tensor's name alone, spread so that activations keep their scale: norm gains
/// near 1, matrices by fan-in, small biases. They are stored as F32, whatever
/// type was wanted, and have the same bits on every machine.
std::unique_ptr<Checkpoint> makeRandomCheckpoint(std::vector<TensorInfo> wanted,
                                                 uint64_t seed);

/// How many NaN and infinite values the tensor has.
int64_t countNonFinite(const Checkpoint &checkpoint, const TensorInfo &tensor);

} // namespace vitc

#endif // VITC_CHECKPOINT_CHECKPOINT_H
