// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Which file of a folder holds the weights, and which reader it needs.
#include "vitc/Checkpoint/Checkpoint.h"
#include "vitc/Support/Escape.h"
#include "vitc/Support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vitc {

namespace {
struct Format {
  StringLiteral ending;
  Expected<std::unique_ptr<Checkpoint>> (*open)(StringRef path);
  bool isFound; ///< in a folder, whatever stands before the ending
};
} // namespace

static Expected<std::unique_ptr<Checkpoint>> openArrays(StringRef path) {
  Expected<std::unique_ptr<Checkpoint>> arrays = openNpz(path);
  return arrays ? adaptJaxCheckpoint(std::move(*arrays)) : std::move(arrays);
}

static constexpr Format formats[] = {
    {".safetensors", openSafetensors, true},
    {".safetensors.index.json", openShardedSafetensors, false},
    {".npz", openArrays, true},
    {".pth", openTorch, true},
    {".pt", openTorch, true},
    // Of these only the usual ones are weights: training leaves others behind.
    {".bin", openTorch, false},
    {".bin.index.json", openShardedTorch, false},
};

/// The names that transformers gives, best first: a folder may have several of
/// them, which then hold the same.
static constexpr StringLiteral usualNames[] = {
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
};

static const Format *formatOf(StringRef name) {
  for (const Format &format : formats)
    if (name.ends_with(format.ending))
      return &format;
  return nullptr;
}

/// Names of tensors become names of layers, in messages, comments and tables.
/// No training code gives them control characters.
static Error checkNames(const Checkpoint &checkpoint) {
  for (const TensorInfo &tensor : checkpoint.tensors())
    if (!isPlainText(tensor.name))
      return userError(tensor.place,
                       "the tensor name " + inQuotes(tensor.name) +
                           " has a control character or is not UTF-8, expected "
                           "plain text");
  return Error::success();
}

Expected<std::unique_ptr<Checkpoint>> openCheckpointFile(StringRef path) {
  if (const Format *format = formatOf(path)) {
    Expected<std::unique_ptr<Checkpoint>> checkpoint = format->open(path);
    if (checkpoint)
      if (Error error = checkNames(**checkpoint))
        return error;
    return checkpoint;
  }
  std::vector<StringRef> known;
  for (const Format &format : formats)
    known.push_back(format.ending);
  return userError(path, "weights in a file of this name are not read, "
                         "expected one that ends in " +
                             join(known, ", "));
}

/// There, even as a link that leads nowhere: opening it then says so.
static bool isThere(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status, /*follow=*/false);
}

/// Names in `folder` that `accept` takes, sorted.
static std::vector<std::string> namesIn(StringRef folder,
                                        function_ref<bool(StringRef)> accept) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (StringRef name = sys::path::filename(it->path()); accept(name))
      names.push_back(name.str());
  llvm::sort(names);
  return names;
}

/// For a folder without weights that are read.
static Error noWeights(StringRef folder) {
  std::vector<std::string> others = namesIn(folder, [](StringRef name) {
    return any_of(
        ArrayRef<StringRef>{".bin", ".ckpt", ".h5", ".msgpack", ".onnx"},
        [&](StringRef ending) { return name.ends_with(ending); });
  });
  std::vector<std::string> known(std::begin(usualNames), std::end(usualNames));
  for (const Format &format : formats)
    if (format.isFound)
      known.push_back("*" + format.ending.str());
  std::string hint;
  if (!others.empty())
    hint = "; " + inQuotes(others.front()) +
           " is not taken for weights, save the model as "
           "model.safetensors from the library it comes from";
  return userError(folder, "the folder has no weights: looked for " +
                               join(known, ", ") + hint);
}

Expected<std::unique_ptr<Checkpoint>> openCheckpoint(StringRef folder) {
  if (!sys::fs::is_directory(folder))
    return userError(folder, sys::fs::exists(folder)
                                 ? "is not a folder, expected a model's folder"
                                 : "the folder does not exist");
  for (StringRef name : usualNames)
    if (std::string path = joinPath(folder, name); isThere(path))
      return openCheckpointFile(path);

  std::vector<std::string> found = namesIn(folder, [](StringRef name) {
    const Format *format = formatOf(name);
    return format && format->isFound;
  });
  if (found.empty())
    return noWeights(folder);
  if (found.size() == 1)
    return openCheckpointFile(joinPath(folder, found.front()));
  for (std::string &name : found)
    name = inQuotes(name);
  constexpr size_t maxShown = 8;
  std::string rest;
  if (found.size() > maxShown) {
    rest = " and " + std::to_string(found.size() - maxShown) + " more";
    found.resize(maxShown);
  }
  return userError(
      folder,
      "the folder has several files with weights: " + join(found, ", ") + rest +
          "; name the one to use, and its config with --config");
}

} // namespace vitc
