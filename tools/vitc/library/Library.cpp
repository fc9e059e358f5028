// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Library.h"

#include "EmulatedLibrary.h"
#include "terminal/Text.h"

#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <dlfcn.h>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string join(StringRef folder, const llvm::Twine &a,
                        const llvm::Twine &b = "", const llvm::Twine &c = "") {
  llvm::SmallString<256> result(folder);
  path::append(result, a, b, c);
  return std::string(result);
}

//===----------------------------------------------------------------------===//
// Manifest
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> vitc::tool::findManifest(StringRef folder) {
  StringRef hint = "; name a folder that `vitc compile` wrote";
  if (!fs::exists(folder))
    return userError(folder, "no such folder" + hint);
  if (!fs::is_directory(folder))
    return userError(folder, "not a folder" + hint);
  std::vector<std::string> found;
  std::error_code code;
  for (fs::directory_iterator it(join(folder, "share"), code), end;
       it != end && !code; it.increment(code)) {
    std::string file = join(it->path(), "manifest.json");
    if (fs::exists(file))
      found.push_back(file);
  }
  if (found.size() > 1)
    return userError(folder, "holds more than one library: " + found[0] +
                                 " and " + found[1]);
  if (!found.empty())
    return found.front();
  if (fs::exists(join(folder, "config.json")))
    return userError(folder, "is a model, not a compiled library; compile it "
                             "first: vitc compile " +
                                 shellWord(folder) + " -o OUT");
  return userError(folder, "no share/*/manifest.json in it" + hint);
}

/// Fields that every manifest has; the first error ends the reading.
static llvm::Error readFields(const JsonObject &root, Manifest &manifest) {
  auto format = root.getInteger("format");
  if (!format)
    return format.takeError();
  if (*format != 2)
    return root.error("format", "format " + llvm::Twine(*format) +
                                    " is of another version of vitc; this one "
                                    "reads format 2");
  for (auto [key, field] : {std::pair("name", &manifest.name),
                            std::pair("target", &manifest.target),
                            std::pair("precision", &manifest.precision)}) {
    auto value = root.getString(key);
    if (!value)
      return value.takeError();
    *field = std::move(*value);
  }
  // The name becomes part of paths and symbols.
  if (manifest.name.empty() || !llvm::all_of(manifest.name, [](char c) {
        return llvm::isAlnum(c) || c == '_';
      }))
    return root.error("name", "name is not an identifier");
  auto labels = root.getStrings("labels");
  if (!labels)
    return labels.takeError();
  manifest.labels = std::move(*labels);
  return llvm::Error::success();
}

static llvm::Error readOptions(const JsonObject &options, Manifest &manifest) {
  auto batch = options.getInteger("batch");
  if (!batch)
    return batch.takeError();
  auto size = options.getPair("image_size");
  if (!size)
    return size.takeError();
  auto outputs = options.getStrings("outputs");
  if (!outputs)
    return outputs.takeError();
  auto embeds = options.getBool("embed_weights", false);
  if (!embeds)
    return embeds.takeError();
  auto winograd = options.getBool("winograd", false);
  if (!winograd)
    return winograd.takeError();
  auto disabled = options.getStrings("disabled_rewrites");
  if (!disabled)
    return disabled.takeError();
  manifest.batch = *batch;
  manifest.imageSize = *size;
  manifest.outputs = std::move(*outputs);
  manifest.embedsWeights = *embeds;
  manifest.winograd = *winograd;
  manifest.disabledRewrites = std::move(*disabled);
  return llvm::Error::success();
}

static llvm::Error readModel(const JsonObject &model, Manifest &manifest) {
  auto source = model.getString("source");
  if (!source)
    return source.takeError();
  manifest.source = std::move(*source);
  if (model.has("random_weights")) {
    // Seeds are 64 bits; those with the highest one set are written negative.
    auto seed = model.get("random_weights")->getAsInteger();
    if (!seed)
      return model.error("random_weights", "random_weights is not a seed");
    manifest.seed = uint64_t(*seed);
  }
  const llvm::json::Value *files = model.get("files");
  if (!files || !files->getAsArray())
    return model.error("files", "files must be a list");
  for (const llvm::json::Value &entry : *files->getAsArray()) {
    const llvm::json::Object *file = entry.getAsObject();
    auto name = file ? file->getString("file") : std::nullopt;
    auto hash = file ? file->getString("hash") : std::nullopt;
    auto bytes = file ? file->getInteger("bytes") : std::nullopt;
    if (!name || !hash || !bytes)
      return model.error("files", "an entry must have file, bytes and hash");
    manifest.files.push_back({name->str(), hash->str(), *bytes});
  }
  return llvm::Error::success();
}

llvm::Expected<Manifest> vitc::tool::readManifest(StringRef file) {
  auto root = readJson(file);
  if (!root)
    return root.takeError();
  Manifest manifest;
  manifest.path = file.str();
  if (llvm::Error error = readFields(*root, manifest))
    return error;
  auto options = root->getObject("options");
  if (!options)
    return options.takeError();
  if (llvm::Error error = readOptions(*options, manifest))
    return error;
  auto model = root->getObject("model");
  if (!model)
    return model.takeError();
  if (llvm::Error error = readModel(*model, manifest))
    return error;
  return manifest;
}

//===----------------------------------------------------------------------===//
// Library
//===----------------------------------------------------------------------===//

namespace {

/// A library in this process.
class LoadedLibrary : public Library {
public:
  ~LoadedLibrary() override {
    if (handle)
      dlclose(handle);
  }
  llvm::Expected<std::unique_ptr<Context>>
  createContext(unsigned threads) const override;

private:
  llvm::Error load() override;
  void *handle = nullptr;
};

class LoadedContext : public Context {
public:
  LoadedContext(const Library &library, void *handle)
      : library(library), handle(handle) {}
  ~LoadedContext() override { library.getModel().destroy(handle); }

  llvm::Error run(llvm::ArrayRef<vitc_image_v2> images,
                  OutputBuffers &outputs) override {
    return toError(library.getModel().run(
        handle, images.data(), int32_t(images.size()), outputs.pointers()));
  }
  llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                        OutputBuffers &outputs) override {
    return toError(library.getModel().run_tensor(
        handle, pixels.data(),
        int32_t(int64_t(pixels.size()) / library.itemElements()),
        outputs.pointers()));
  }
  void observe(vitc_observer observer, void *user) override {
    library.getModel().observe(handle, observer, user);
  }
  std::string level() const override {
    return library.getModel().level(handle);
  }

private:
  llvm::Error toError(vitc_status status) const {
    return status == VITC_OK
               ? llvm::Error::success()
               : library.statusError(status,
                                     library.getModel().status_text(status));
  }

  const Library &library;
  void *handle;
};

} // namespace

Context::~Context() = default;
Library::~Library() = default;

/// The target's architecture, if it is not this machine's.
static const Architecture *foreignArchitecture(StringRef targetName) {
  llvm::Expected<Target> target = findTarget(targetName);
  if (target)
    return isHost(*target->architecture) ? nullptr : target->architecture;
  // Another version's target: loading the library will tell.
  llvm::consumeError(target.takeError());
  return nullptr;
}

llvm::Expected<std::unique_ptr<Library>> Library::open(StringRef folder) {
  auto file = findManifest(folder);
  if (!file)
    return file.takeError();
  auto manifest = readManifest(*file);
  if (!manifest)
    return manifest.takeError();
  std::unique_ptr<Library> library;
  if (const Architecture *foreign = foreignArchitecture(manifest->target))
    library = makeEmulatedLibrary(*foreign);
  else
    library = std::make_unique<LoadedLibrary>();
  library->manifest = std::move(*manifest);
  if (llvm::Error error = library->findFiles(folder.str()))
    return error;
  if (llvm::Error error = library->load())
    return error;
  if (llvm::Error error = library->check())
    return error;
  return library;
}

llvm::Error Library::findFiles(const std::string &folder) {
  const std::string &name = manifest.name;
  llvm::SmallString<256> absolute(join(folder, "lib", "lib" + name + ".so"));
  if (std::error_code code = fs::make_absolute(absolute))
    return userError(folder, code.message());
  libraryPath = std::string(absolute);
  if (!fs::exists(libraryPath))
    return userError(libraryPath, "the library is missing; compile it again");
  if (!manifest.embedsWeights) {
    weightsPath = join(folder, "share", name, name + ".weights");
    if (!fs::exists(weightsPath))
      return userError(weightsPath, "the weights are missing; compile again");
  }
  return llvm::Error::success();
}

llvm::Error LoadedLibrary::load() {
  handle = dlopen(libraryPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    StringRef reason = dlerror();
    reason.consume_front(libraryPath + ": ");
    return userError(libraryPath, "cannot be loaded on this machine (" +
                                      reason + "); it was compiled for " +
                                      manifest.target);
  }
  std::string symbol = manifest.name + "_model";
  auto *table = reinterpret_cast<const vitc_model_v2 *(*)()>(
      dlsym(handle, symbol.c_str()));
  if (!table)
    return userError(libraryPath, "has no symbol " + symbol +
                                      "; it is not the library that " +
                                      manifest.path + " describes");
  model = table();
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Context>>
LoadedLibrary::createContext(unsigned threads) const {
  vitc_options_v2 options = {};
  options.threads = int32_t(threads);
  void *context = nullptr;
  vitc_status status = model->create(
      weightsPath.empty() ? nullptr : weightsPath.c_str(), &options, &context);
  if (status != VITC_OK)
    return statusError(status, model->status_text(status));
  return std::make_unique<LoadedContext>(*this, context);
}

llvm::Error Library::check() const {
  // `version` is the first field of every version of the table.
  if (!model || model->version != VITC_MODEL_VERSION)
    return userError(libraryPath,
                     "has version " + llvm::Twine(model ? model->version : 0) +
                         " of the table that tools use; this vitc knows "
                         "version " +
                         llvm::Twine(int(VITC_MODEL_VERSION)));
  if (manifest.name != model->name || manifest.target != model->target ||
      manifest.batch != model->batch ||
      manifest.imageSize !=
          std::pair<int64_t, int64_t>(model->height, model->width))
    return userError(libraryPath,
                     "does not match " + manifest.path + "; compile again");
  for (const vitc_output_v2 &output : outputs())
    if (output.type != VITC_F32)
      return userError(libraryPath, "output " + llvm::Twine(output.name) +
                                        " is not float32, which this vitc "
                                        "expects");
  return llvm::Error::success();
}

llvm::ArrayRef<vitc_output_v2> Library::outputs() const {
  return {model->outputs, size_t(model->output_count)};
}

llvm::ArrayRef<vitc_step_v2> Library::steps() const {
  return {model->steps, size_t(model->step_count)};
}

int64_t Library::itemElements() const {
  return int64_t(model->channels) * model->height * model->width;
}

llvm::Error Library::statusError(vitc_status status, StringRef text) const {
  if (status == VITC_ERROR_CPU && !emulator().empty())
    return userError(libraryPath,
                     "was compiled for " + manifest.target +
                         ", which the emulated CPU is not; QEMU_CPU names it");
  if (status == VITC_ERROR_CPU) {
    std::string here;
    if (auto host = hostTarget())
      here = ", while this machine is " + (*host)->name;
    else
      llvm::consumeError(host.takeError());
    return userError(libraryPath, "was compiled for " + manifest.target + here +
                                      "; compile it with --target host");
  }
  if (status == VITC_ERROR_IMAGE_SIZE)
    return userError(text + ": " + llvm::Twine(model->width) + " x " +
                     llvm::Twine(model->height));
  bool weights = status >= VITC_ERROR_WEIGHTS_OPEN &&
                 status <= VITC_ERROR_WEIGHTS_CORRUPT && !weightsPath.empty();
  return userError(weights ? weightsPath : libraryPath, text);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

OutputBuffers::OutputBuffers(const vitc_model_v2 &model) {
  for (int32_t i = 0; i < model.output_count; ++i)
    values.emplace_back(size_t(model.outputs[i].elements));
  for (std::vector<float> &value : values)
    starts.push_back(value.data());
}

std::vector<float> vitc::tool::makeNoise(int64_t elements) {
  // SplitMix64 (Steele, Lea, Flood 2014) and the polar-free Box-Muller form;
  // std::normal_distribution differs between standard libraries.
  uint64_t state = 0x7669746300000001; // "vitc", then 1
  auto uniform = [&state] {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    // In (0, 1], so that the logarithm is finite.
    return (double((z ^ (z >> 31)) >> 11) + 1) * 0x1p-53;
  };
  constexpr double turn = 6.283185307179586;
  std::vector<float> values(elements);
  for (float &value : values) {
    double radius = std::sqrt(-2 * std::log(uniform()));
    value = float(radius * std::cos(turn * uniform()));
  }
  return values;
}
