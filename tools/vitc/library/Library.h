// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A compiled library, opened from the folder that `vitc compile` wrote and
/// driven through its C table.
#ifndef VITC_TOOLS_LIBRARY_LIBRARY_H
#define VITC_TOOLS_LIBRARY_LIBRARY_H

#include "vitc/Driver/Toolchain.h"
#include "vitc/Support/Json.h"
#include "vitc/runtime/model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vitc::tool {

/// What the tool needs of manifest.json: docs/Manifest.md.
struct Manifest {
  struct File {
    std::string name, hash;
    int64_t bytes;
  };
  std::string path;
  std::string name, target, precision;
  std::string source;           ///< the model's path or name as given
  std::optional<uint64_t> seed; ///< of random weights
  std::vector<File> files;
  int64_t batch = 1;
  std::pair<int64_t, int64_t> imageSize;
  std::vector<std::string> outputs;
  std::vector<std::string> disabledRewrites;
  bool winograd = false; ///< Winograd inner products, where they gain
  bool embedsWeights = false;
  std::vector<std::string> labels;
};

/// The manifest of a folder that `vitc compile` wrote, or an error that says
/// what the folder is instead.
llvm::Expected<std::string> findManifest(llvm::StringRef folder);
llvm::Expected<Manifest> readManifest(llvm::StringRef file);

/// Memory for all outputs of one run. Every output is float32: Library::open
/// refuses others.
class OutputBuffers {
public:
  explicit OutputBuffers(const vitc_model_v2 &model);
  void *const *pointers() { return starts.data(); }
  llvm::ArrayRef<float> operator[](size_t output) const {
    return values[output];
  }
  llvm::MutableArrayRef<float> operator[](size_t output) {
    return values[output];
  }

private:
  std::vector<std::vector<float>> values;
  std::vector<void *> starts;
};

/// One context of a library. Every error names the library and the library's
/// own text for its status.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  virtual ~Context();

  /// Of both: one image, or more up to the model's batch.
  virtual llvm::Error run(llvm::ArrayRef<vitc_image_v2> images,
                          OutputBuffers &outputs) = 0;
  virtual llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                                OutputBuffers &outputs) = 0;
  /// A null observer turns observation off.
  virtual void observe(vitc_observer observer, void *user) = 0;
  /// The level that runs: "avx2".
  virtual std::string level() const = 0;
};

/// A library that was loaded, or one for another architecture that runs under
/// an emulator.
class Library {
public:
  /// Fails with a user error if the folder is not one that `vitc compile`
  /// wrote, or if the library cannot be run on this machine.
  static llvm::Expected<std::unique_ptr<Library>> open(llvm::StringRef folder);
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  virtual ~Library();

  const Manifest &getManifest() const { return manifest; }
  /// Its functions may be null.
  const vitc_model_v2 &getModel() const { return *model; }
  llvm::ArrayRef<vitc_output_v2> outputs() const;
  llvm::ArrayRef<vitc_step_v2> steps() const;
  /// Floats of the tensor that a full batch takes, and of one of its items.
  int64_t tensorElements() const { return itemElements() * model->batch; }
  int64_t itemElements() const;
  /// The emulator's name; empty if the library runs on the processor itself.
  virtual llvm::StringRef emulator() const { return ""; }

  /// `threads` 0: one per core that the process may use.
  virtual llvm::Expected<std::unique_ptr<Context>>
  createContext(unsigned threads) const = 0;
  /// A status, with the library's text for it, as a user error.
  llvm::Error statusError(vitc_status status, llvm::StringRef text) const;

protected:
  Library() = default;
  /// Makes the table available.
  virtual llvm::Error load() = 0;

  Manifest manifest;
  std::string libraryPath; ///< absolute
  std::string weightsPath; ///< empty: embedded
  const vitc_model_v2 *model = nullptr;

private:
  llvm::Error findFiles(const std::string &folder);
  llvm::Error check() const;
};

/// A tensor for one run of normal noise: the same on every machine.
std::vector<float> makeNoise(int64_t elements);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_LIBRARY_H
