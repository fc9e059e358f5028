// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Defaults.h"

using namespace llvm;

namespace vitc {

static constexpr double half[] = {0.5};
static constexpr double imagenetMean[] = {0.485, 0.456, 0.406};
static constexpr double imagenetStd[] = {0.229, 0.224, 0.225};
static constexpr double clipMean[] = {0.48145466, 0.4578275, 0.40821073};
static constexpr double clipStd[] = {0.26862954, 0.26130258, 0.27577711};

static constexpr int64_t bilinear = 2, bicubic = 3;

/// The class without its suffix.
static StringRef familyOf(StringRef type) {
  for (StringRef suffix : {"Fast", "Pil"})
    type.consume_back(suffix);
  for (StringRef suffix : {"ImageProcessor", "FeatureExtractor"})
    type.consume_back(suffix);
  return type;
}

const ImageProcessorDefaults *findImageProcessorDefaults(StringRef type) {
  // name, integer is shortest edge, size, filter, crop, mean, std
  static const ImageProcessorDefaults known[] = {
      {"Beit", false, 224, bicubic, 0, half, half},
      {"Bit", true, 224, bicubic, 224, clipMean, clipStd},
      {"Blip", false, 384, bicubic, 0, clipMean, clipStd},
      {"CLIP", true, 224, bicubic, 224, clipMean, clipStd},
      {"ChineseCLIP", true, 224, bicubic, 224, clipMean, clipStd},
      {"ConvNext", true, 384, bicubic, 0, half, half},
      {"DINOv3ViT", false, 224, bilinear, 0, imagenetMean, imagenetStd},
      {"DeiT", false, 256, bicubic, 224, half, half},
      {"MobileViT", true, 224, bicubic, 256, half, half},
      {"Pvt", false, 224, bicubic, 0, imagenetMean, imagenetStd},
      {"Siglip", false, 224, bicubic, 0, half, half},
      {"ViT", false, 224, bilinear, 0, half, half},
      {"ViTHybrid", true, 224, bicubic, 224, clipMean, clipStd},
  };
  StringRef family = familyOf(type);
  for (const ImageProcessorDefaults &defaults : known)
    if (defaults.name == family)
      return &defaults;
  return nullptr;
}

StringRef whyImageProcessorIsRefused(StringRef type) {
  StringRef family = familyOf(type);
  if (family == "Levit" || family == "PoolFormer")
    return "its resize follows a rule of its own";
  if (family == "EfficientNet")
    return "it normalises twice";
  if (family == "ImageGPT")
    return "it replaces colours by clusters";
  if (family == "Siglip2")
    return "the size of its result depends on the image";
  return "";
}

} // namespace vitc
