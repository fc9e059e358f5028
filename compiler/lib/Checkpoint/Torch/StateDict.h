// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The tensors in what torch.save has pickled.
#ifndef VITC_LIB_CHECKPOINT_TORCH_STATEDICT_H
#define VITC_LIB_CHECKPOINT_TORCH_STATEDICT_H

#include "Pickle.h"
#include "StoredCheckpoint.h"

#include <optional>

namespace vitc {

/// Functions and classes that a pickle of tensors may name.
bool isTorchGlobal(llvm::StringRef name);

/// What a persistent id of torch.save says: a block of elements that tensors
/// are views of.
struct TorchStorage {
  StoredType type = StoredType::F32;
  llvm::StringRef key;
  int64_t elements = 0;
};
llvm::Expected<TorchStorage> readTorchStorage(llvm::StringRef place,
                                              const PickleValue &persistent);

/// The tensors of the state dict in `value`: the dictionary itself, or the one
/// that it has under one of the usual names. Whatever else a checkpoint keeps
/// (epochs, optimizers) is passed over. `storage` gives the bytes of a key; it
/// is asked for those only that the tensors need. `path` is what the tensors'
/// place will be.
llvm::Expected<std::vector<StoredTensor>> readTorchStateDict(
    llvm::StringRef path, const PickleValue &value,
    llvm::function_ref<llvm::Expected<llvm::StringRef>(llvm::StringRef key)>
        storage);

} // namespace vitc

#endif // VITC_LIB_CHECKPOINT_TORCH_STATEDICT_H
