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

/// One run of the generated code: on one image of the batch, or on several for
/// a Variant's `finish`.
struct Invocation {
  const Model &model;
  int32_t image;  ///< of the batch, the first one of several
  int32_t images; ///< that there are from it on
  void *threads;  ///< handed to kernels as their context: the threads, or the
                  ///< Device of a GPU
  const float *pixels;          ///< channels x height x width
  const unsigned char *weights; ///< the data of the weights file
  unsigned char *workspace;     ///< the image's own part
  void *const *outputs;         ///< of the whole batch
  vitc_observer observer;       ///< null as a rule
  void *observerUser;
};

// The words that generated code is written in. All offsets are in bytes.
template <class T>
const T *weight(const Invocation &run, uint64_t offset);
template <class T>
T *buffer(const Invocation &run, uint64_t offset);
template <class T>
T *output(const Invocation &run, int32_t index, uint64_t offset);
inline void done(const Invocation &run, int32_t step);
/// Two parts of a forward function that need nothing of each other: on two
/// threads each takes one, and keeps what it reads and writes in its own cache.
/// Else they run in turn, each on all threads.
void runConcurrently(const Invocation &run,
                     void (*first)(const Invocation &run),
                     void (*second)(const Invocation &run));
/// A part of `finish` that each image has for itself. It reads no pixels.
inline void eachImage(const Invocation &run,
                      void (*body)(const Invocation &run));

/// The model's kernels for one instruction set.
struct Variant {
  const char *level; ///< "avx2"
  CpuFeatures cpu;   ///< what it needs
  void (*forward)(const Invocation &run);
  /// Null, or what is left to do for Model::finishImages images at once, after
  /// `forward` of each. Of the last ones some may be missing: their parts of
  /// the workspace are computed on whatever is there, their outputs are left
  /// alone.
  void (*finish)(const Invocation &run);
};

/// Everything that differs between two emitted libraries.
struct Model {
  vitc_model_v2 table; ///< what tools see
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
  /// How many images a Variant's `finish` computes at once: a divisor of the
  /// batch.
  int32_t finishImages;
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

template <class T>
const T *weight(const Invocation &run, uint64_t offset) {
  return reinterpret_cast<const T *>(run.weights + offset);
}

template <class T>
T *buffer(const Invocation &run, uint64_t offset) {
  return reinterpret_cast<T *>(run.workspace + offset);
}

/// Of one image.
inline size_t outputBytes(const Model &model, int32_t index) {
  return size_t(model.table.outputs[index].bytes) / size_t(model.table.batch);
}

template <class T>
T *output(const Invocation &run, int32_t index, uint64_t offset) {
  auto *start = static_cast<unsigned char *>(run.outputs[index]);
  return reinterpret_cast<T *>(
      start + size_t(run.image) * outputBytes(run.model, index) + offset);
}

inline void done(const Invocation &run, int32_t step) {
  if (run.observer)
    run.observer(run.observerUser, step, run.workspace);
}

inline void eachImage(const Invocation &run,
                      void (*body)(const Invocation &run)) {
  for (int32_t i = 0; i < run.images; ++i)
    body({run.model, run.image + i, 1, run.threads, nullptr, run.weights,
          run.workspace + size_t(i) * run.model.imageWorkspaceBytes,
          run.outputs, run.observer, run.observerUser});
}

vitc_status create(const Model &model, const char *weightsPath,
                   const vitc_options_v2 *options, void **context);
vitc_status run(void *context, const vitc_image_v2 *images, int32_t count,
                void *const *outputs);
vitc_status runTensor(void *context, const float *pixels, int32_t count,
                      void *const *outputs);
vitc_status preprocess(void *context, const vitc_image_v2 *images,
                       int32_t count, float *pixels);
void observe(void *context, vitc_observer observer, void *user);
void destroy(void *context);
const char *statusText(vitc_status status);
/// With the model's own words about its driver and device.
const char *statusText(const Model &model, vitc_status status);
const char *level(const void *context);

} // namespace vitc::rt

#endif // VITC_RUNTIME_ENGINE_H
