// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `preprocessor_config.json`: the input is a JSON object with the file
/// (`processor`), and the `channels` and the `size` that a model wants.
#include "Readers.h"

#include "vitc/Preprocess/ImageProcessor.h"

#include <algorithm>

using namespace vitc;
using namespace vitc::fuzz;

/// A size that a model may have: frontends have checked it.
static int64_t extentOf(int64_t value) {
  return std::clamp<int64_t>(value, 1, 65536);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto input = parseJson("input.json", textOf(data, size));
  if (!isValue(input))
    return -1;
  auto file = input->getObject("processor");
  auto channels = input->getInteger("channels");
  auto extents = input->getPair("size");
  // All three are looked at, as llvm::Expected demands.
  if (int(isValue(file)) + int(isValue(channels)) + int(isValue(extents)) != 3)
    return -1;
  auto processor =
      readImageProcessor(*file, std::clamp<int64_t>(*channels, 1, 64));
  if (!isValue(processor))
    return 0;
  processor->retarget(extentOf(extents->first), extentOf(extents->second));
  bool resizes = processor->resize != ImageProcessor::Resize::None;
  constexpr int64_t limit = INT32_MAX; // of the runtime's numbers
  if (processor->resizeHeight > limit || processor->resizeWidth > limit ||
      (resizes && processor->resizeHeight < 1) || processor->filter < 0 ||
      processor->filter > 5 || processor->cropHeight > limit ||
      processor->cropWidth > limit)
    fault("the processor does not fit into the runtime's");
  return 0;
}
