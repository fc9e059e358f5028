// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StepCapture.h"

using namespace vitc;
using namespace vitc::tool;

/// All results of a ViT-B fit; larger models are run several times.
static constexpr size_t mostBytes = size_t(256) << 20;

StepCapture::StepCapture(const Library &library, Context &context,
                         llvm::ArrayRef<float> pixels)
    : library(library), context(context), pixels(pixels),
      outputs(library.getModel()), runs(library.steps().size()) {}

void StepCapture::note(void *user, int32_t index, const void *) {
  static_cast<StepCapture *>(user)->runs.set(index);
}

llvm::Error StepCapture::start() {
  context.observe(note, this);
  llvm::Error error = context.runTensor(pixels, outputs);
  context.observe(nullptr, nullptr);
  return error;
}

int StepCapture::findStep(llvm::StringRef layer, int64_t rows,
                          int64_t columns) const {
  // The last one: a layer may move its result to where the next one wants it.
  for (int i = int(library.steps().size()) - 1; i >= 0; --i) {
    const vitc_step_v2 &step = library.steps()[i];
    // A step runs once for each image, or for several; all their rows follow
    // each other in the capture.
    int64_t calls = library.getModel().batch / step.images;
    if (runs[i] && layer == step.name && step.type == VITC_F32 &&
        step.buffer_rows * calls == rows && step.buffer_columns == columns)
      return i;
  }
  return -1;
}

void StepCapture::observe(void *user, int32_t index, const void *workspace) {
  auto *self = static_cast<StepCapture *>(user);
  const vitc_step_v2 &step = self->library.steps()[index];
  size_t bytes = sizeof(float) * step.buffer_rows * step.buffer_columns;
  bool wanted = index == self->firstWanted ||
                (index > self->firstWanted && step.buffer_rows > 0 &&
                 self->bytesHeld + bytes <= mostBytes);
  if (!wanted)
    return;
  self->bytesHeld += bytes;
  const char *start = static_cast<const char *>(workspace) + step.buffer_offset;
  std::vector<float> &values = self->held[index];
  values.reserve(size_t(step.buffer_rows) * step.buffer_columns);
  for (int64_t row = 0; row < step.buffer_rows; ++row) {
    const auto *first =
        reinterpret_cast<const float *>(start + row * step.buffer_stride);
    values.insert(values.end(), first, first + step.buffer_columns);
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
