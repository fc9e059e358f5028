// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Inputs.h"

#include "terminal/Text.h"

#include "llvm/Support/FileSystem.h"

using namespace vitc;
using namespace vitc::tool;

std::string Item::describe() const {
  return alone ? file : file + "[" + std::to_string(index) + "]";
}

llvm::Error InputQueue::checkFiles() const {
  for (const std::string &file : files) {
    if (!llvm::sys::fs::exists(file))
      return userError(file, "no such file; expected an image (PNG, JPEG, "
                             "PPM) or a NumPy array (.npy)");
    if (llvm::sys::fs::is_directory(file))
      return userError(file, "is a folder; name the images in it");
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<Item>> InputQueue::next() {
  while (ready.empty()) {
    if (nextFile == files.size())
      return std::nullopt;
    if (llvm::Error error = load(files[nextFile++]))
      return error;
  }
  Item item = std::move(ready.front());
  ready.pop_front();
  return item;
}

/// The format of a file's pixels: model.h.
static vitc_pixel_format formatOf(int64_t channels) {
  return channels == 1   ? VITC_PIXELS_GREY
         : channels == 3 ? VITC_PIXELS_RGB
                         : VITC_PIXELS_NATIVE;
}

/// Whether the model takes images of that many channels.
static bool takesChannels(const vitc_model_v2 &model, int64_t channels) {
  bool usual = model.channels == 1 || model.channels == 3;
  return usual ? channels == 1 || channels == 3 : channels == model.channels;
}

static llvm::Error checkChannels(const vitc_model_v2 &model,
                                 const std::string &file, int64_t channels) {
  if (takesChannels(model, channels))
    return llvm::Error::success();
  bool usual = model.channels == 1 || model.channels == 3;
  return userError(
      file,
      "the image has " + llvm::Twine(channels) + " channels, expected " +
          (usual ? std::string("1 or 3") : std::to_string(model.channels)));
}

llvm::Error InputQueue::checkPreprocesses(const std::string &file) const {
  if (subject.preprocesses())
    return llvm::Error::success();
  return userError(file, "is an image; preprocessing is part of a compiled "
                         "library, and --reference takes ready tensors (a "
                         "float32 .npy)");
}

llvm::Error InputQueue::load(const std::string &file) {
  if (llvm::StringRef(file).ends_with_insensitive(".npy"))
    return loadNpy(file);
  if (llvm::Error error = checkPreprocesses(file))
    return error;
  auto image = readImage(file);
  if (!image)
    return image.takeError();
  if (llvm::Error error =
          checkChannels(subject.getModel(), file, image->channels))
    return error;
  auto shared = std::make_shared<Image>(std::move(*image));
  Item item;
  item.file = file;
  item.image = {shared->pixels.data(),
                shared->width,
                shared->height,
                formatOf(shared->channels),
                ptrdiff_t(shared->width) * shared->channels,
                {}};
  item.memory = shared;
  ready.push_back(std::move(item));
  return llvm::Error::success();
}

llvm::Error InputQueue::loadNpy(const std::string &file) {
  auto array = readNpy(file);
  if (!array)
    return array.takeError();
  if (array->elements() == 0)
    return userError(file,
                     "the array is empty: shape " + formatShape(array->shape));
  auto shared = std::make_shared<NpyArray>(std::move(*array));
  switch (shared->type) {
  case NpyArray::Type::F32:
    return addTensors(file, std::move(shared));
  case NpyArray::Type::U8:
    return addImages(file, std::move(shared));
  case NpyArray::Type::F64:
    return userError(file, "the array is float64; expected float32 (a ready "
                           "tensor) or uint8 (images): save it with "
                           ".astype(numpy.float32)");
  case NpyArray::Type::I64:
    return userError(file, "the array is int64; expected float32 (a ready "
                           "tensor) or uint8 (images)");
  }
  llvm_unreachable("covered switch");
}

llvm::Error InputQueue::addTensors(const std::string &file,
                                   std::shared_ptr<NpyArray> array) {
  const vitc_model_v2 &model = subject.getModel();
  std::vector<int64_t> want = {model.channels, model.height, model.width};
  llvm::ArrayRef<int64_t> shape = array->shape;
  bool single = shape.size() == 3;
  if (shape.take_back(3) != llvm::ArrayRef(want) ||
      (!single && shape.size() != 4))
    return userError(file, "float32 array of shape " + formatShape(shape) +
                               ", expected the ready tensor [items, " +
                               formatShape(want).substr(1) + " or " +
                               formatShape(want));
  int64_t items = single ? 1 : shape[0], size = want[0] * want[1] * want[2];
  const float *data = reinterpret_cast<const float *>(array->data.data());
  for (int64_t i = 0; i < items; ++i) {
    Item item;
    item.file = file;
    item.index = i;
    item.alone = items == 1;
    item.isTensor = true;
    item.tensor = llvm::ArrayRef(data + i * size, size);
    item.memory = array;
    ready.push_back(std::move(item));
  }
  return llvm::Error::success();
}

llvm::Error InputQueue::addImages(const std::string &file,
                                  std::shared_ptr<NpyArray> array) {
  if (llvm::Error error = checkPreprocesses(file))
    return error;
  const vitc_model_v2 &model = subject.getModel();
  std::vector<int64_t> shape = array->shape; // made [items, height, width,
                                             // channels]
  auto isChannels = [&](int64_t n) {
    return n == 1 || n == 3 || n == model.channels;
  };
  if (shape.size() == 2)
    shape = {1, shape[0], shape[1], 1};
  else if (shape.size() == 3 && isChannels(shape[2]))
    shape = {1, shape[0], shape[1], shape[2]};
  else if (shape.size() == 3)
    shape = {shape[0], shape[1], shape[2], 1};
  else if (shape.size() != 4)
    return userError(
        file, "uint8 array of shape " + formatShape(shape) +
                  ", expected [height, width], [height, width, channels] or "
                  "[items, height, width, channels]");
  if (llvm::Error error = checkChannels(model, file, shape[3]))
    return error;
  constexpr int64_t longest = 1 << 20;
  if (shape[1] > longest || shape[2] > longest)
    return userError(file, "an image of " + llvm::Twine(shape[2]) + " x " +
                               llvm::Twine(shape[1]) +
                               " pixels is larger than " +
                               llvm::Twine(longest) + " on a side");
  int64_t stride = shape[2] * shape[3], size = shape[1] * stride;
  for (int64_t i = 0; i < shape[0]; ++i) {
    Item item;
    item.file = file;
    item.index = i;
    item.alone = shape[0] == 1;
    item.image = {array->data.data() + i * size,
                  int32_t(shape[2]),
                  int32_t(shape[1]),
                  formatOf(shape[3]),
                  stride,
                  {}};
    item.memory = array;
    ready.push_back(std::move(item));
  }
  return llvm::Error::success();
}
