// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the generated code of a model stands on: the description of the model,
/// and the functions behind ID_create, ID_run and ID_destroy. Nothing here
/// throws, prints or aborts, and nothing needs the C++ standard library at run
/// time.
#ifndef VITC_RUNTIME_ENGINE_H
#define VITC_RUNTIME_ENGINE_H

#include "vitc/runtime/cpu.h"
#include "vitc/runtime/device.h"
#include "vitc/runtime/model.h"
#include "vitc/runtime/preprocess.h"

namespace vitc::rt {

struct Model;

/// One run of the generated code, on one image of the batch.
struct Invocation {
  const Model &model;
  int32_t image; ///< of the batch
  void *threads; ///< handed to kernels as their context: the threads, or the
                 ///< Device of a GPU
  const float *pixels;          ///< channels x height x width
  const unsigned char *weights; ///< the data of the weights file
  unsigned char *workspace;     ///< the image's own part
  float *const *outputs;        ///< of the whole batch
  vitc_observer observer;       ///< null as a rule
  void *observerUser;
};

// The words that generated code is written in. Offsets of weights and buffers
// are in bytes, of outputs in floats.
inline const float *weight(const Invocation &run, uint64_t offset);
inline float *buffer(const Invocation &run, uint64_t offset);
inline float *output(const Invocation &run, int32_t index, uint64_t offset);
inline void done(const Invocation &run, int32_t step);
/// Two parts of a forward function that need nothing of each other: on two
/// threads each takes one, and keeps what it reads and writes in its own cache.
/// Else they run in turn, each on all threads.
void sideBySide(const Invocation &run, void (*first)(const Invocation &run),
                void (*second)(const Invocation &run));

/// The model's kernels for one instruction set.
struct Variant {
  const char *level; ///< "avx2"
  CpuFeatures cpu;   ///< what it needs
  void (*forward)(const Invocation &run);
  /// Null, or what is left to do for all images of a batch at once, after
  /// `forward` of each; its run is the first image's.
  void (*finish)(const Invocation &run);
};

/// Everything that differs between two emitted libraries.
struct Model {
  vitc_model_v1 table; ///< what tools see
  /// From the least demanding to the most; create takes the last one that the
  /// CPU can run. The environment variable VITC_LEVEL names the highest one
  /// that may be taken, for tests.
  const Variant *variants;
  int32_t variantCount;
  /// Both stand in the head of the weights file and tie it to this library.
  uint64_t weightsIdentity;
  const unsigned char *embeddedWeights; ///< a whole weights file inside the
                                        ///< library (64-byte aligned), or null
  Preprocessing preprocessing;
  /// Every image of a batch has its own part of the workspace, of this size.
  size_t imageWorkspaceBytes;
  /// Where `run` puts the preprocessed tensor and its scratch; both are in the
  /// image's part and may be overwritten by the model once it has read the
  /// pixels.
  uint64_t pixelsOffset, scratchOffset;
  /// What a thread needs that runs the kernels.
  size_t stackBytes;
  /// Null where the kernels run on the CPU. On a device there is one variant.
  const DeviceApi *device;
  int32_t deviceLevel; ///< what the kernels need: CUDA's compute capability, 80
                       ///< for 8.0; else 0
};

inline const float *weight(const Invocation &run, uint64_t offset) {
  return reinterpret_cast<const float *>(run.weights + offset);
}

inline float *buffer(const Invocation &run, uint64_t offset) {
  return reinterpret_cast<float *>(run.workspace + offset);
}

inline float *output(const Invocation &run, int32_t index, uint64_t offset) {
  const vitc_model_v1 &table = run.model.table;
  int64_t perImage = table.outputs[index].elements / table.batch;
  return run.outputs[index] + run.image * perImage + offset;
}

inline void done(const Invocation &run, int32_t step) {
  if (run.observer)
    run.observer(run.observerUser, step, run.workspace);
}

vitc_status create(const Model &model, const char *weightsPath,
                   const vitc_options_v1 *options, void **context);
vitc_status run(void *context, const vitc_image_v1 *images,
                float *const *outputs);
vitc_status runTensor(void *context, const float *pixels,
                      float *const *outputs);
vitc_status preprocess(void *context, const vitc_image_v1 *images,
                       float *pixels);
void observe(void *context, vitc_observer observer, void *user);
void destroy(void *context);
const char *statusText(vitc_status status);
/// With the model's own words about its driver and device.
const char *statusText(const Model &model, vitc_status status);
const char *level(const void *context);

} // namespace vitc::rt

#endif // VITC_RUNTIME_ENGINE_H
