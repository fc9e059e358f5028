/// A compiled library, opened from the folder that `vitc compile` wrote and
/// driven through its C table.
#ifndef VITC_TOOLS_LIBRARY_H
#define VITC_TOOLS_LIBRARY_H

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
  bool embedsWeights = false;
  std::vector<std::string> labels;
};

/// Memory for all outputs of one run.
class OutputBuffers {
public:
  explicit OutputBuffers(const vitc_model_v1 &model);
  float *const *pointers() { return starts.data(); }
  llvm::ArrayRef<float> operator[](size_t output) const {
    return values[output];
  }

private:
  std::vector<std::vector<float>> values;
  std::vector<float *> starts;
};

/// One context of a library. Every error names the library and the library's
/// own text for its status.
class Context {
public:
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  /// `images` has as many entries as the model's batch.
  llvm::Error run(llvm::ArrayRef<vitc_image_v1> images, OutputBuffers &outputs);
  llvm::Error runTensor(llvm::ArrayRef<float> pixels, OutputBuffers &outputs);
  /// A null observer turns observation off.
  void observe(vitc_observer observer, void *user);

private:
  friend class Library;
  Context(const class Library &library, void *handle)
      : library(library), handle(handle) {}

  const Library &library;
  void *handle;
};

class Library {
public:
  /// Fails with a user error if the folder is not one that `vitc compile`
  /// wrote, or if the library cannot be loaded on this machine.
  static llvm::Expected<std::unique_ptr<Library>> open(llvm::StringRef folder);
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library();

  const Manifest &getManifest() const { return manifest; }
  const vitc_model_v1 &getModel() const { return *model; }
  llvm::ArrayRef<vitc_output_v1> outputs() const;
  llvm::ArrayRef<vitc_step_v1> steps() const;
  /// Floats of the tensor that one run takes, and of one of its items.
  int64_t tensorElements() const { return itemElements() * model->batch; }
  int64_t itemElements() const;

  /// `threads` 0: one per core that the process may use.
  llvm::Expected<std::unique_ptr<Context>>
  createContext(unsigned threads) const;
  /// A status as a user error.
  llvm::Error statusError(vitc_status status) const;

private:
  Library() = default;
  llvm::Error load(const std::string &folder);
  llvm::Error check() const;

  Manifest manifest;
  std::string libraryPath, weightsPath;
  void *handle = nullptr;
  const vitc_model_v1 *model = nullptr;
};

/// A tensor for one run of normal noise: the same on every machine.
std::vector<float> makeNoise(int64_t elements);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_H
