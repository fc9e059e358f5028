// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Frontend/Import.h"

#include "vitc/Support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The processor's file beside the config, if there is one.
static std::string findProcessor(llvm::StringRef folder) {
  std::string file = joinPath(folder, "preprocessor_config.json");
  return fs::exists(file) ? file : "";
}

/// The last part of a path, as the model's name.
static std::string nameOf(llvm::StringRef file) {
  llvm::SmallString<256> absolute(file);
  fs::make_absolute(absolute);
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  llvm::StringRef trimmed = llvm::StringRef(absolute).rtrim('/');
  return path::filename(trimmed).str();
}

static llvm::Expected<ModelSource> openFolder(llvm::StringRef folder,
                                              llvm::StringRef configPath,
                                              std::optional<uint64_t> seed) {
  std::string configFile =
      configPath.empty() ? joinPath(folder, "config.json") : configPath.str();
  llvm::Expected<JsonObject> config = readJson(configFile);
  if (!config)
    return config.takeError();
  ModelSource source{nameOf(folder), std::move(*config), findProcessor(folder),
                     nullptr, seed};
  if (seed)
    return source;
  llvm::Expected<std::unique_ptr<Checkpoint>> checkpoint =
      openCheckpoint(folder);
  if (!checkpoint)
    return checkpoint.takeError();
  source.checkpoint = std::move(*checkpoint);
  return source;
}

static llvm::Expected<ModelSource> openWeightsFile(llvm::StringRef file,
                                                   llvm::StringRef configPath) {
  if (configPath.empty())
    return userError(file, "a weights file needs its config too: add --config "
                           "FILE, or name the folder that has both");
  llvm::Expected<JsonObject> config = readJson(configPath);
  if (!config)
    return config.takeError();
  llvm::Expected<std::unique_ptr<Checkpoint>> checkpoint =
      openCheckpointFile(file);
  if (!checkpoint)
    return checkpoint.takeError();
  return ModelSource{path::stem(file).str(), std::move(*config),
                     findProcessor(path::parent_path(configPath)),
                     std::move(*checkpoint), std::nullopt};
}

/// Names of the presets: models/NAME.json.
static std::vector<std::string> presetNames(llvm::StringRef modelsFolder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(modelsFolder, code), end; it != end && !code;
       it.increment(code))
    if (path::extension(it->path()) == ".json")
      names.push_back(path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

llvm::Expected<ModelSource> vitc::openModel(llvm::StringRef model,
                                            llvm::StringRef configPath,
                                            std::optional<uint64_t> seed,
                                            llvm::StringRef modelsFolder) {
  if (fs::is_directory(model))
    return openFolder(model, configPath, seed);
  if (fs::is_regular_file(model)) {
    if (seed)
      return userError("--random-weights replaces the weights, but " + model +
                       " is a weights file; name a folder or a known model");
    return openWeightsFile(model, configPath);
  }
  std::string preset = joinPath(modelsFolder, model + ".json");
  bool isPreset = !model.contains('/') && fs::exists(preset);
  std::vector<std::string> names = presetNames(modelsFolder);
  for (auto &[name, className] : listTimmArchitectures())
    names.push_back(name);
  if (isPreset || llvm::is_contained(names, model)) {
    if (!seed)
      return userError(
          model + " is a known architecture without weights: add "
                  "--random-weights SEED for a benchmark, or name a folder "
                  "with trained weights");
    llvm::Expected<JsonObject> config =
        isPreset
            ? readJson(preset)
            : parseJson(model, ("{\"architecture\": \"" + model + "\"}").str());
    if (!config)
      return config.takeError();
    return ModelSource{model.str(), std::move(*config), "", nullptr, seed};
  }
  std::vector<llvm::StringRef> candidates(names.begin(), names.end());
  llvm::StringRef nearest = nearestName(model, candidates);
  return userError(
      model, "no such folder, file or known model" +
                 (nearest.empty() ? "; `vitc models` lists the known ones"
                                  : "; the nearest known model is " + nearest));
}
