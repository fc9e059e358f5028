// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Preprocess/ImageProcessor.h"

#include "Defaults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace vitc {

/// Larger sides are a mistake in the file, not a model.
static constexpr int64_t maxSide = 65536;

//===----------------------------------------------------------------------===//
// ImageProcessor
//===----------------------------------------------------------------------===//

ImageProcessor ImageProcessor::makeDefault(int64_t channels, int64_t height,
                                           int64_t width) {
  ImageProcessor result;
  result.resize = Resize::Exact;
  result.resizeHeight = height;
  result.resizeWidth = width;
  result.rescale = 1.0 / 255;
  result.mean.assign(channels, 0.5);
  result.std.assign(channels, 0.5);
  return result;
}

/// Fills in timm's resize and crop for images of that size.
static void placeTimmCrop(ImageProcessor &result, int64_t height,
                          int64_t width) {
  const ImageProcessor::TimmCrop &crop = *result.timm;
  result.cropHeight = height;
  result.cropWidth = width;
  result.resizeHeight = int64_t(double(height) / crop.share);
  result.resizeWidth = int64_t(double(width) / crop.share);
  result.filter = crop.filter;
  if (crop.squashes) {
    result.resize = ImageProcessor::Resize::Exact;
  } else if (result.resizeHeight == result.resizeWidth) {
    result.resize = ImageProcessor::Resize::ShortestEdge;
  } else {
    result.resize = ImageProcessor::Resize::Cover;
    result.filter = 2; // timm does not pass the interpolation on here
  }
}

void ImageProcessor::retarget(int64_t height, int64_t width) {
  if (timm) {
    placeTimmCrop(*this, height, width);
    return;
  }
  auto scaled = [](int64_t size, int64_t to, int64_t from) {
    return std::max<int64_t>(1, (2 * size * to + from) / (2 * from));
  };
  if (resize == Resize::ShortestEdge && !centerCrop) {
    centerCrop = true;
    cropHeight = cropWidth = resizeHeight;
  }
  if (centerCrop) {
    if (resize == Resize::Exact || resize == Resize::Cover) {
      resizeHeight = scaled(resizeHeight, height, cropHeight);
      resizeWidth = scaled(resizeWidth, width, cropWidth);
    } else if (resize == Resize::ShortestEdge) {
      // The shorter side of the image has to cover the longer of the crop.
      resizeHeight = std::max(scaled(resizeHeight, height, cropHeight),
                              scaled(resizeHeight, width, cropWidth));
    }
    cropHeight = height;
    cropWidth = width;
  } else if (resize == Resize::Exact) {
    resizeHeight = height;
    resizeWidth = width;
  }
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static Error checkSide(const JsonObject &object, StringRef key, int64_t side) {
  if (side >= 1 && side <= maxSide)
    return Error::success();
  return object.error(key, key + " is " + Twine(side) + ", expected 1 to " +
                               Twine(maxSide));
}

/// Numbers for each channel: a number or a list, one is repeated.
static Expected<std::vector<double>> readPerChannel(const JsonObject &object,
                                                    StringRef key,
                                                    int64_t channels,
                                                    ArrayRef<double> fallback) {
  std::vector<double> values = fallback.vec();
  if (object.has(key)) {
    if (object.get(key)->getAsArray()) {
      Expected<std::vector<double>> list = object.getNumbers(key);
      if (!list)
        return list.takeError();
      values = std::move(*list);
    } else {
      Expected<double> number = object.getNumber(key);
      if (!number)
        return number.takeError();
      values = {*number};
    }
  } else if (values.empty()) {
    return object.error("", key + " is missing");
  }
  if (values.size() == 1)
    values.assign(channels, values[0]);
  if (int64_t(values.size()) != channels)
    return object.error(key, key + " has " + Twine(values.size()) +
                                 " numbers, but the model has " +
                                 Twine(channels) + " channels");
  return values;
}

static Error readNormalisation(const JsonObject &object, StringRef meanKey,
                               StringRef stdKey, int64_t channels,
                               ArrayRef<double> defaultMean,
                               ArrayRef<double> defaultStd,
                               ImageProcessor &result) {
  Expected<std::vector<double>> mean =
      readPerChannel(object, meanKey, channels, defaultMean);
  if (!mean)
    return mean.takeError();
  Expected<std::vector<double>> std =
      readPerChannel(object, stdKey, channels, defaultStd);
  if (!std)
    return std.takeError();
  for (double value : *std)
    if (!(value > 0))
      return object.error(stdKey, stdKey + " holds " + std::to_string(value) +
                                      ", expected numbers above 0");
  result.mean = std::move(*mean);
  result.std = std::move(*std);
  return Error::success();
}

/// `size` and `crop_size`: an integer, a list of two, or an object.
static Error readSize(const JsonObject &object, StringRef key,
                      bool integerIsShortestEdge, ImageProcessor::Resize &kind,
                      int64_t &height, int64_t &width) {
  kind = ImageProcessor::Resize::Exact;
  const json::Value *value = object.get(key);
  if (!value->getAsObject()) {
    Expected<std::pair<int64_t, int64_t>> pair = object.getPair(key);
    if (!pair)
      return pair.takeError();
    std::tie(height, width) = *pair;
    if (!value->getAsArray() && integerIsShortestEdge)
      kind = ImageProcessor::Resize::ShortestEdge;
    if (Error error = checkSide(object, key, height))
      return error;
    return checkSide(object, key, width);
  }

  Expected<JsonObject> size = object.getObject(key);
  if (!size)
    return size.takeError();
  for (const std::string &field : size->keys())
    if (size->has(field) && field != "height" && field != "width" &&
        field != "shortest_edge")
      return size->error(field, key + "." + field +
                                    " is not supported, expected height and "
                                    "width, or shortest_edge");
  bool isShortest = size->has("shortest_edge");
  if (isShortest && (size->has("height") || size->has("width")))
    return object.error(key, key + " has both shortest_edge and height or "
                                   "width");
  Expected<int64_t> first =
      size->getInteger(isShortest ? "shortest_edge" : "height");
  if (!first)
    return first.takeError();
  Expected<int64_t> second =
      size->getInteger(isShortest ? "shortest_edge" : "width");
  if (!second)
    return second.takeError();
  if (isShortest)
    kind = ImageProcessor::Resize::ShortestEdge;
  height = *first;
  width = *second;
  if (Error error =
          checkSide(*size, isShortest ? "shortest_edge" : "height", height))
    return error;
  return checkSide(*size, isShortest ? "shortest_edge" : "width", width);
}

/// Fields that change the result in a way that the library's steps cannot.
static Error refuseUnsupported(const JsonObject &object) {
  for (StringRef key :
       {"do_pad", "do_thumbnail", "do_align_long_axis", "do_align_axis",
        "do_random_crop", "do_color_quantize", "do_image_splitting",
        "do_split_image", "do_crop_margin", "do_grayscale", "do_binarize",
        "do_pan_and_scan", "crop_to_patches", "keep_aspect_ratio",
        "rescale_offset", "offset", "use_square_size",
        "do_resize_and_center_crop"}) {
    const json::Value *value = object.get(key);
    if (value && value->getAsBoolean().value_or(false))
      return object.error(key, key + " is not supported, expected false");
  }
  for (StringRef key : {"size_divisor", "ensure_multiple_of"})
    if (object.has(key) && object.get(key)->getAsNumber() != 1.0)
      return object.error(key, key + " is not supported");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// transformers
//===----------------------------------------------------------------------===//

static Error readFilter(const JsonObject &object,
                        const ImageProcessorDefaults *defaults,
                        ImageProcessor &result) {
  Expected<int64_t> filter =
      defaults ? object.getInteger("resample", defaults->filter)
               : object.getInteger("resample");
  if (!filter)
    return filter.takeError();
  if (*filter < 0 || *filter > 5)
    return object.error(
        "resample", "resample " + Twine(*filter) +
                        " is not known, expected 0 (nearest), 1 (lanczos), "
                        "2 (bilinear), 3 (bicubic), 4 (box) or 5 (hamming)");
  result.filter = *filter;
  return Error::success();
}

/// ConvNext resizes by a rule of its own: small results are cut out of a
/// larger image, results from 384 on are squeezed.
static Error applyConvNextRule(const JsonObject &object,
                               ImageProcessor &result) {
  if (result.resize != ImageProcessor::Resize::ShortestEdge)
    return object.error("size", "size must have shortest_edge for ConvNext");
  int64_t side = result.resizeHeight;
  if (side >= 384) {
    result.resize = ImageProcessor::Resize::Exact;
    result.resizeWidth = side;
    return Error::success();
  }
  Expected<double> share = object.getNumber("crop_pct", 224.0 / 256);
  if (!share)
    return share.takeError();
  if (!(*share > 0 && *share <= 1))
    return object.error("crop_pct", "crop_pct must be above 0 and at most 1");
  double larger = double(side) / *share;
  if (larger > double(maxSide))
    return object.error("crop_pct", "crop_pct is too small");
  result.resizeHeight = result.resizeWidth = int64_t(larger);
  result.centerCrop = true;
  result.cropHeight = result.cropWidth = side;
  return Error::success();
}

static Error readResize(const JsonObject &object,
                        const ImageProcessorDefaults *defaults, bool isCropped,
                        bool hasType, ImageProcessor &result) {
  // A file that names no class is ViT's, unless it crops as CLIP's do.
  bool integerIsShortestEdge =
      hasType && defaults ? defaults->integerIsShortestEdge : isCropped;
  if (object.has("size")) {
    if (Error error =
            readSize(object, "size", integerIsShortestEdge, result.resize,
                     result.resizeHeight, result.resizeWidth))
      return error;
  } else if (defaults) {
    result.resize = integerIsShortestEdge ? ImageProcessor::Resize::ShortestEdge
                                          : ImageProcessor::Resize::Exact;
    result.resizeHeight = result.resizeWidth = defaults->size;
  } else {
    return object.error("", "size is missing");
  }
  if (Error error = readFilter(object, defaults, result))
    return error;
  if (defaults && defaults->name == "ConvNext")
    return applyConvNextRule(object, result);
  if (object.has("crop_pct"))
    return object.error("crop_pct", "crop_pct is not supported here");
  return Error::success();
}

static Error readCrop(const JsonObject &object,
                      const ImageProcessorDefaults *defaults,
                      ImageProcessor &result) {
  result.centerCrop = true;
  if (object.has("crop_size")) {
    ImageProcessor::Resize kind;
    if (Error error = readSize(object, "crop_size",
                               /*integerIsShortestEdge=*/false, kind,
                               result.cropHeight, result.cropWidth))
      return error;
    if (kind != ImageProcessor::Resize::Exact)
      return object.error("crop_size", "crop_size.shortest_edge is not "
                                       "supported, expected height and width");
    return Error::success();
  }
  if (!defaults || !defaults->cropSize)
    return object.error("", "crop_size is missing, expected an integer or "
                            "height and width");
  result.cropHeight = result.cropWidth = defaults->cropSize;
  return Error::success();
}

static Expected<ImageProcessor> readTransformers(const JsonObject &object,
                                                 int64_t channels) {
  StringRef typeKey = object.has("image_processor_type")
                          ? "image_processor_type"
                          : "feature_extractor_type";
  Expected<std::string> type = object.getString(typeKey, "");
  if (!type)
    return type.takeError();
  if (StringRef reason = whyImageProcessorIsRefused(*type); !reason.empty())
    return object.error(typeKey, *type + " is not supported: " + reason);
  if (Error error = refuseUnsupported(object))
    return error;

  bool hasType = !type->empty();
  const ImageProcessorDefaults *defaults =
      findImageProcessorDefaults(hasType ? StringRef(*type) : "ViT");
  Expected<bool> doCrop =
      object.getBool("do_center_crop", defaults && defaults->cropSize != 0);
  if (!doCrop)
    return doCrop.takeError();
  if (!hasType && *doCrop)
    defaults = nullptr; // not ViT's, and whose is not known
  Expected<bool> doResize = object.getBool("do_resize", true);
  if (!doResize)
    return doResize.takeError();
  Expected<bool> doRescale = object.getBool("do_rescale", true);
  if (!doRescale)
    return doRescale.takeError();
  // MobileViT's class never normalises, whatever means its file has.
  bool isMobileViT = defaults && defaults->name == "MobileViT";
  Expected<bool> doNormalize = object.getBool("do_normalize", !isMobileViT);
  if (!doNormalize)
    return doNormalize.takeError();
  Expected<bool> doFlip = object.getBool("do_flip_channel_order", isMobileViT);
  if (!doFlip)
    return doFlip.takeError();
  // Images come as grey or RGB; there is nothing left to convert.
  if (Expected<bool> convert = object.getBool("do_convert_rgb", true); !convert)
    return convert.takeError();

  ImageProcessor result;
  result.reversesChannels = *doFlip;
  if (*doResize)
    if (Error error = readResize(object, defaults, *doCrop, hasType, result))
      return error;
  if (*doCrop)
    if (Error error = readCrop(object, defaults, result))
      return error;
  if (*doRescale) {
    Expected<double> factor = object.getNumber("rescale_factor", 1.0 / 255);
    if (!factor)
      return factor.takeError();
    if (!(*factor > 0))
      return object.error("rescale_factor", "rescale_factor is " +
                                                std::to_string(*factor) +
                                                ", expected a number above 0");
    result.rescale = *factor;
  }
  if (*doNormalize)
    if (Error error = readNormalisation(
            object, "image_mean", "image_std", channels,
            defaults ? defaults->mean : ArrayRef<double>(),
            defaults ? defaults->std : ArrayRef<double>(), result))
      return error;
  return result;
}

//===----------------------------------------------------------------------===//
// timm
//===----------------------------------------------------------------------===//

/// timm's evaluation transform: resize to input_size / crop_pct, then crop.
static Expected<ImageProcessor> readTimm(const JsonObject &object,
                                         int64_t channels) {
  Expected<std::vector<double>> input = object.getNumbers("input_size");
  if (!input)
    return input.takeError();
  auto isSide = [](double x) {
    return x >= 1 && x <= double(maxSide) && x == std::floor(x);
  };
  if (input->size() != 3 || !all_of(*input, isSide))
    return object.error("input_size", "input_size must be a list of channels, "
                                      "height and width");
  if (int64_t((*input)[0]) != channels)
    return object.error("input_size",
                        "input_size has " + Twine(int64_t((*input)[0])) +
                            " channels, but the model has " + Twine(channels));
  Expected<double> share = object.getNumber("crop_pct", 0.875);
  if (!share)
    return share.takeError();
  if (!(*share > 0 && *share <= 1))
    return object.error("crop_pct", "crop_pct must be above 0 and at most 1");
  Expected<std::string> mode = object.getString("crop_mode", "center");
  if (!mode)
    return mode.takeError();
  Expected<std::string> filter = object.getString("interpolation", "bilinear");
  if (!filter)
    return filter.takeError();

  ImageProcessor result;
  result.filter = StringSwitch<int64_t>(*filter)
                      .Case("nearest", 0)
                      .Case("lanczos", 1)
                      .Case("bilinear", 2)
                      .Case("bicubic", 3)
                      .Case("box", 4)
                      .Case("hamming", 5)
                      .Default(-1);
  if (result.filter < 0)
    return object.error("interpolation",
                        "interpolation " + inQuotes(*filter) +
                            " is not known, expected nearest, lanczos, "
                            "bilinear, bicubic, box or hamming");
  result.centerCrop = true;
  result.cropRoundsHalfToEven = true;
  if (std::max((*input)[1], (*input)[2]) / *share > double(maxSide))
    return object.error("crop_pct", "crop_pct is too small");
  if (*mode != "squash" && *mode != "center")
    return object.error("crop_mode", "crop_mode " + inQuotes(*mode) +
                                         " is not supported, expected center "
                                         "or squash");
  result.timm = {*share, result.filter, *mode == "squash"};
  placeTimmCrop(result, int64_t((*input)[1]), int64_t((*input)[2]));
  result.rescale = 1.0 / 255;
  if (Error error =
          readNormalisation(object, "mean", "std", channels, {}, {}, result))
    return error;
  return result;
}

Expected<ImageProcessor> readImageProcessor(const JsonObject &object,
                                            int64_t channels) {
  if (object.has("input_size") && !object.has("size"))
    return readTimm(object, channels);
  return readTransformers(object, channels);
}

Expected<ImageProcessor> readImageProcessor(StringRef path, int64_t channels) {
  Expected<JsonObject> object = readJson(path);
  if (!object)
    return object.takeError();
  return readImageProcessor(*object, channels);
}

} // namespace vitc
