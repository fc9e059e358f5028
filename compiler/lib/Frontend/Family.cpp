// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Family.h"

using namespace vitc;

llvm::Expected<Grid> vitc::gridOfPatches(const FamilyImport &import, Grid image,
                                         Grid patch) {
  Grid grid = {image.first / patch.first, image.second / patch.second};
  if (grid.first >= 1 && grid.second >= 1)
    return grid;
  auto text = [](Grid size, const char *by) {
    return std::to_string(size.first) + by + std::to_string(size.second);
  };
  if (import.options.imageSize)
    return userError("--image-size " + text(image, "x") +
                     " is smaller than one patch of " + text(patch, " x "));
  return import.config.error(
      "patch_size", "one patch of " + text(patch, " x ") +
                        " is larger than the image of " + text(image, " x ") +
                        " that the config, or that of the image processor, "
                        "asks for");
}

/// The place and the name of the size of the image, for messages.
static std::string describeSize(const FamilyImport &import, Grid image) {
  std::string rows = std::to_string(image.first),
              columns = std::to_string(image.second);
  if (import.options.imageSize)
    return "--image-size " + rows + "x" + columns;
  std::string size = " " + rows + " x " + columns;
  // The tower of a model of images and texts, and timm's arguments.
  std::vector<JsonObject> objects = {import.config};
  for (const char *key :
       {"vision_config_dict", "vision_config", "model_args", "pretrained_cfg"})
    if (llvm::Expected<JsonObject> inner = import.config.getObject(key))
      objects.push_back(*inner);
    else
      llvm::consumeError(inner.takeError());
  for (const JsonObject &object : objects)
    for (const char *key : {"image_size", "img_size", "input_size"})
      if (object.has(key))
        return object.place(key) + ": " + key + size;
  return import.config.place() + ": the image's size" + size;
}

ModelBuilder vitc::startModel(FamilyImport &import, int64_t channels,
                              Grid image) {
  import.channels = channels;
  import.height = image.first;
  import.width = image.second;
  return ModelBuilder(
      import.context, import.checkpoint,
      {import.options.batch, channels, image.first, image.second},
      {describeSize(import, image), import.config.getFile().path});
}

llvm::Expected<std::pair<int64_t, int64_t>>
vitc::sizeOfImage(const FamilyImport &import, int64_t channels,
                  std::pair<int64_t, int64_t> configSize) {
  if (import.options.imageSize)
    return *import.options.imageSize;
  if (import.processorPath.empty())
    return configSize;
  llvm::Expected<ImageProcessor> processor =
      readImageProcessor(import.processorPath, channels);
  if (!processor)
    return processor.takeError();
  if (processor->centerCrop)
    return std::pair(processor->cropHeight, processor->cropWidth);
  if (processor->resize == ImageProcessor::Resize::Exact)
    return std::pair(processor->resizeHeight, processor->resizeWidth);
  return configSize;
}
