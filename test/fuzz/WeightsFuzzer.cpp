// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The runtime's side of an emitted library: a weights file, create, and a run
/// on an image of the caller's. The input is the image's size, stride and
/// pixels, then the file; its checksum is put right unless the first byte says
/// otherwise.
#include "Fuzz.h"

#include "vitc/runtime/engine.h"
#include "vitc/runtime/weights.h"

#include <cstring>
#include <vector>

using namespace vitc::fuzz;
using namespace vitc::rt;

namespace {

constexpr int32_t batch = 2, channels = 3, height = 6, width = 5;
constexpr int64_t imageFloats = channels * height * width;
constexpr uint64_t identity = 42, pixelsOffset = 0, scratchOffset = 1024;
constexpr uint64_t weightFloats = 32;
constexpr size_t imageWorkspaceBytes =
    scratchOffset + preprocessScratchBytes(channels, height, width);

/// Touches every weight, as kernels do.
void forward(const Invocation &run) {
  float sum = 0;
  for (uint64_t i = 0; i < weightFloats; ++i)
    sum += *weight<float>(run, i * sizeof(float));
  for (int64_t i = 0; i < imageFloats; ++i)
    *output<float>(run, 0, uint64_t(i) * sizeof(float)) = run.pixels[i] + sum;
  done(run, 0);
}

const vitc_output_v2 outputTable[] = {{"sum",
                                       VITC_F32,
                                       VITC_KIND_MAP,
                                       "NCHW",
                                       4,
                                       {batch, channels, height, width},
                                       batch * imageFloats,
                                       batch * imageFloats * sizeof(float)}};
const Variant variantTable[] = {{"only", cpu::Baseline, forward, nullptr}};

Model makeModel(Resize resize, Filter filter) {
  Model model{};
  model.table.version = VITC_MODEL_VERSION;
  model.table.batch = batch;
  model.table.channels = channels;
  model.table.height = height;
  model.table.width = width;
  model.table.workspace_bytes = batch * imageWorkspaceBytes;
  model.table.weights_bytes = weightFloats * sizeof(float);
  model.table.output_count = 1;
  model.table.outputs = outputTable;
  model.variants = variantTable;
  model.variantCount = 1;
  model.weightsIdentity = identity;
  Preprocessing &how = model.preprocessing;
  how.channels = channels;
  how.height = height;
  how.width = width;
  how.resize = resize;
  how.resizeHeight = height;
  how.resizeWidth = width;
  how.filter = filter;
  how.centerCrop = true;
  how.rescale = 1.0 / 255;
  model.imageWorkspaceBytes = imageWorkspaceBytes;
  model.pixelsOffset = pixelsOffset;
  model.scratchOffset = scratchOffset;
  return model;
}

/// What stands before the file in an input.
struct Call {
  uint8_t keepsChecksum, resize, filter, rows, columns;
  int8_t format;
  int16_t padding; ///< of a row; negative: bottom-up
  int8_t count;
  int8_t crop[4];
};

/// What a pixel of the format takes; something for those that there are not.
int64_t bytesOfPixel(int8_t format) {
  switch (format) {
  case VITC_PIXELS_GREY:
    return 1;
  case VITC_PIXELS_RGBA:
  case VITC_PIXELS_BGRA:
    return 4;
  default:
    return 3;
  }
}

void runOn(void *context, const Call &call) {
  // The memory ends with the last pixel, as large as the caller says.
  int64_t row = call.columns * bytesOfPixel(call.format);
  int64_t stride = row + std::abs(call.padding % 64);
  std::vector<uint8_t> pixels(
      size_t(call.rows ? stride * (call.rows - 1) + row : 0), 7);
  bool isBottomUp = call.padding < 0 && call.rows > 0;
  vitc_image_v2 image = {
      pixels.data() + (isBottomUp ? stride * (call.rows - 1) : 0),
      call.columns,
      call.rows,
      call.format,
      isBottomUp ? -stride : stride,
      {call.crop[0], call.crop[1], call.crop[2], call.crop[3]}};
  vitc_image_v2 images[batch] = {image, image};
  // And so do the results.
  int32_t count = call.count;
  int32_t given = count < 1 || count > batch ? 1 : count;
  std::vector<float> sums(size_t(given * imageFloats));
  void *outputs[] = {sums.data()};
  vitc_status status = run(context, images, count, outputs);
  if (status != VITC_OK)
    refused(statusText(status));
  if (status == VITC_OK && given != count)
    fault("a wrong number of images is run");
  if (preprocess(context, images, count, sums.data()) != status)
    fault("preprocess and run do not agree");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static MemoryFile file;
  Call call;
  if (size < sizeof(call))
    return -1;
  std::memcpy(&call, data, sizeof(call));
  std::string bytes = textOf(data + sizeof(call), size - sizeof(call));
  if (bytes.size() >= sizeof(WeightsHeader) && call.keepsChecksum == 0) {
    uint64_t sum = checksum(bytes.data() + sizeof(WeightsHeader),
                            bytes.size() - sizeof(WeightsHeader));
    std::memcpy(bytes.data() + offsetof(WeightsHeader, checksum), &sum,
                sizeof(sum));
  }
  Model model = makeModel(Resize(call.resize % 4), Filter(call.filter % 6));
  vitc_options_v2 options = {};
  options.threads = 1;
  void *context = nullptr;
  vitc_status status =
      create(model, file.write(bytes).c_str(), &options, &context);
  if ((status == VITC_OK) != (context != nullptr))
    fault("create gives a context with an error, or none without");
  if (statusText(status) == nullptr)
    fault("a status without a text");
  if (context)
    runOn(context, call);
  else
    refused(statusText(status));
  destroy(context);
  return 0;
}
