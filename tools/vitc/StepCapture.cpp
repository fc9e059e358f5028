// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StepCapture.h"

using namespace vitc;
using namespace vitc::tool;

/// All results of a ViT-B fit; larger models are run several times.
static constexpr size_t mostBytes = size_t(256) << 20;

StepCapture::StepCapture(const Library &library, Context &context,
                         llvm::ArrayRef<float> pixels)
    : library(library), context(context), pixels(pixels),
      outputs(library.getModel()) {}

int StepCapture::findStep(llvm::StringRef layer, int64_t rows,
                          int64_t columns) const {
  // The last one: a layer may move its result to where the next one wants it.
  for (int i = int(library.steps().size()) - 1; i >= 0; --i) {
    const vitc_step_v1 &step = library.steps()[i];
    // A step is one image's, or has the images' rows, a workspace apart; all
    // follow each other in the capture.
    const vitc_model_v1 &model = library.getModel();
    bool joined = size_t(step.buffer_stride) * sizeof(float) * model.batch ==
                  model.workspace_bytes;
    if (layer == step.name &&
        step.buffer_rows * (joined ? 1 : model.batch) == rows &&
        step.buffer_columns == columns)
      return i;
  }
  return -1;
}

void StepCapture::observe(void *user, int32_t index, const void *workspace) {
  auto *self = static_cast<StepCapture *>(user);
  const vitc_step_v1 &step = self->library.steps()[index];
  size_t bytes = sizeof(float) * step.buffer_rows * step.buffer_columns;
  bool wanted = index == self->firstWanted ||
                (index > self->firstWanted && step.buffer_rows > 0 &&
                 self->bytesHeld + bytes <= mostBytes);
  if (!wanted)
    return;
  self->bytesHeld += bytes;
  const auto *start = reinterpret_cast<const float *>(
      static_cast<const char *>(workspace) + step.buffer_offset);
  std::vector<float> &values = self->held[index];
  values.reserve(size_t(step.buffer_rows) * step.buffer_columns);
  for (int64_t row = 0; row < step.buffer_rows; ++row) {
    const float *values0 = start + row * step.buffer_stride;
    values.insert(values.end(), values0, values0 + step.buffer_columns);
  }
}

llvm::Expected<llvm::ArrayRef<float>> StepCapture::get(int step) {
  auto it = held.find(step);
  if (it != held.end())
    return llvm::ArrayRef<float>(it->second);
  held.clear();
  bytesHeld = 0;
  firstWanted = step;
  context.observe(observe, this);
  llvm::Error error = context.runTensor(pixels, outputs);
  context.observe(nullptr, nullptr);
  if (error)
    return error;
  return llvm::ArrayRef<float>(held[step]);
}
