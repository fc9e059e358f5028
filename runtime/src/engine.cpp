// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/engine.h"

#include "vitc/runtime/float_environment.h"
#include "vitc/runtime/threads.h"
#include "vitc/runtime/weights.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace vitc::rt {

static constexpr size_t workspaceAlignment = 64;

namespace {

/// What a caller holds as `void *`. The workspace follows it in the same block
/// unless the caller brought one.
struct alignas(workspaceAlignment) Context {
  const Model *model;
  const Variant *variant = nullptr;
  Weights *weights = nullptr;
  Threads *threads = nullptr;
  Device *device = nullptr; ///< of libraries for a GPU
  unsigned char *workspace = nullptr;
  vitc_observer observer = nullptr;
  void *observerUser = nullptr;
  vitc_parallel_for lentLoop = nullptr; ///< the product's, or null
  void *lentUser = nullptr;
  FloatEnvironment callersFloats = {}; ///< during a Call
};

/// A call of the product's that computes, from its begin to its end.
class Call {
public:
  explicit Call(Context &context) { context.callersFloats = floats.outside(); }

private:
  FloatGuard floats;
};

/// What a lent loop is to run.
struct LentTask {
  void (*body)(void *task, int32_t index);
  void *task;
};

} // namespace

static Context *contextOf(void *context) {
  return static_cast<Context *>(context);
}

/// One index of a lent loop, on whatever thread.
static void runLentTask(void *argument, int32_t index) {
  FloatGuard floats;
  auto &lent = *static_cast<LentTask *>(argument);
  lent.body(lent.task, index);
}

/// The product's loop runs in the product's own environment: a pool may let the
/// waiting thread do other work of the product's.
static void runLentLoop(void *user, int32_t count,
                        void (*body)(void *task, int32_t index), void *task) {
  Context &context = *contextOf(user);
  LentTask lent{body, task};
  FloatGuard floats(context.callersFloats);
  context.lentLoop(context.lentUser, count, runLentTask, &lent);
}

static bool fitsWorkspace(const Model &model, const vitc_options_v2 &options) {
  return reinterpret_cast<uintptr_t>(options.workspace) % workspaceAlignment ==
             0 &&
         options.workspace_bytes >= model.table.workspace_bytes;
}

/// One block for the context and, unless it is lent, the workspace.
static Context *allocateContext(const Model &model,
                                const vitc_options_v2 &options) {
  size_t bytes = sizeof(Context);
  if (!options.workspace)
    bytes += model.table.workspace_bytes;
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Context), bytes) != 0)
    return nullptr;
  auto *context = new (memory) Context{&model};
  context->workspace = options.workspace
                           ? static_cast<unsigned char *>(options.workspace)
                           : reinterpret_cast<unsigned char *>(context + 1);
  return context;
}

/// The most demanding variant that the CPU can run and the caller allows.
static const Variant *chooseVariant(const Model &model) {
  const char *highest = std::getenv("VITC_LEVEL");
  int32_t count = model.variantCount;
  for (int32_t i = 0; highest && i < model.variantCount; ++i)
    if (std::strcmp(model.variants[i].level, highest) == 0)
      count = i + 1;
  for (int32_t i = count; i > 0; --i)
    if (cpuSupports(model.variants[i - 1].cpu))
      return &model.variants[i - 1];
  return nullptr;
}

vitc_status create(const Model &model, const char *weightsPath,
                   const vitc_options_v2 *options, void **result) {
  if (!result)
    return VITC_ERROR_ARGUMENT;
  *result = nullptr;
  FloatGuard floats; // a device runs every kernel once
  vitc_options_v2 chosen = options ? *options : vitc_options_v2{};
  if (chosen.threads < 0)
    return VITC_ERROR_ARGUMENT;
  const Variant *variant = chooseVariant(model);
  if (!variant)
    return VITC_ERROR_CPU;
  if (chosen.workspace && !fitsWorkspace(model, chosen))
    return VITC_ERROR_WORKSPACE;

  Context *context = allocateContext(model, chosen);
  if (!context)
    return VITC_ERROR_MEMORY;
  context->variant = variant;
  vitc_status status = acquireWeights(weightsPath, model.embeddedWeights,
                                      model.table.weights_bytes,
                                      model.weightsIdentity, &context->weights);
  context->lentLoop = chosen.parallel_for;
  context->lentUser = chosen.parallel_user;
  if (status == VITC_OK)
    status = startThreads(chosen.threads,
                          chosen.parallel_for ? runLentLoop : nullptr, context,
                          model.stackBytes, &context->threads);
  if (status == VITC_OK && model.device)
    status = model.device->open(model, weightsData(context->weights),
                                context->workspace, &context->device);
  if (status != VITC_OK) {
    destroy(context);
    return status;
  }
  *result = context;
  return VITC_OK;
}

namespace {

/// Some of the caller's memory.
struct Memory {
  const void *first;
  uint64_t bytes;

  bool overlaps(const Memory &other) const {
    auto begin = reinterpret_cast<uintptr_t>(first),
         otherBegin = reinterpret_cast<uintptr_t>(other.first);
    return begin < otherBegin + other.bytes && otherBegin < begin + bytes;
  }
};

} // namespace

static size_t pixelsPerImage(const Model &model) {
  const Preprocessing &how = model.preprocessing;
  return size_t(how.channels) * size_t(how.height) * size_t(how.width);
}

/// The tensor of `count` images.
static Memory tensorMemory(const Model &model, const float *pixels,
                           int32_t count) {
  return {pixels, sizeof(float) * pixelsPerImage(model) * uint64_t(count)};
}

static bool validCount(const Context &context, int32_t count) {
  return count >= 1 && count <= context.model->table.batch;
}

/// Whether the outputs are there, apart from each other and from `input`:
/// images of a batch are written while others are still to be read.
static bool validOutputs(const Context &context, int32_t count,
                         void *const *outputs, const Memory &input) {
  if (!outputs)
    return false;
  const Model &model = *context.model;
  auto memoryOf = [&](int32_t i) {
    return Memory{outputs[i], outputBytes(model, i) * uint64_t(count)};
  };
  for (int32_t i = 0; i < model.table.output_count; ++i) {
    Memory output = memoryOf(i);
    if (!output.first || output.overlaps(input))
      return false;
    for (int32_t j = 0; j < i; ++j)
      if (output.overlaps(memoryOf(j)))
        return false;
  }
  return true;
}

namespace {

/// A piece of work for each image of a run.
struct BatchTask {
  const Context &context;
  int32_t count;               ///< of the images
  const vitc_image_v2 *images; ///< null when the pixels are given
  const float *pixels;         ///< of all images, or null
  void *const *outputs;
  std::atomic<int32_t> status{VITC_OK}; ///< of the first image that failed
};

} // namespace

static unsigned char *workspaceOf(const Context &context, int32_t image) {
  return context.workspace + size_t(image) * context.model->imageWorkspaceBytes;
}

static float *madePixels(const Context &context, int32_t image) {
  return reinterpret_cast<float *>(workspaceOf(context, image) +
                                   context.model->pixelsOffset);
}

static void preprocessImage(void *argument, int32_t image) {
  auto &task = *static_cast<BatchTask *>(argument);
  const Model &model = *task.context.model;
  vitc_status status =
      preprocess(model.preprocessing, task.images[image],
                 workspaceOf(task.context, image) + model.scratchOffset,
                 madePixels(task.context, image));
  int32_t none = VITC_OK;
  if (status != VITC_OK)
    task.status.compare_exchange_strong(none, status);
}

/// A run on the image and those behind it, `images` in all.
static Invocation invocationOf(const BatchTask &task, int32_t image,
                               int32_t images = 1) {
  const Context &context = task.context;
  const Model &model = *context.model;
  const float *pixels = task.images
                            ? madePixels(context, image)
                            : task.pixels + image * pixelsPerImage(model);
  void *kernelContext = context.threads;
  if (context.device)
    kernelContext = context.device;
  return {model,
          image,
          images,
          kernelContext,
          pixels,
          weightsData(context.weights),
          workspaceOf(context, image),
          task.outputs,
          context.observer,
          context.observerUser};
}

static void forwardImage(void *argument, int32_t image) {
  auto &task = *static_cast<BatchTask *>(argument);
  const Context &context = task.context;
  const Invocation run = invocationOf(task, image);
  if (context.device)
    context.model->device->forward(run, context.variant->forward);
  else
    context.variant->forward(run);
}

void runConcurrently(const Invocation &run,
                     void (*first)(const Invocation &run),
                     void (*second)(const Invocation &run)) {
  auto *threads = static_cast<Threads *>(run.threads);
  // An observer wants to see one step at a time.
  if (run.observer || run.model.device || threadCount(threads) != 2) {
    first(run);
    second(run);
    return;
  }
  struct Parts {
    const Invocation &run;
    void (*part[2])(const Invocation &run);
  } parts{run, {first, second}};
  auto body = [](void *argument, int32_t index) {
    auto &parts = *static_cast<Parts *>(argument);
    parts.part[index](parts.run);
  };
  parallelFor(threads, 2, body, &parts);
}

/// Whole images concurrently, as long as every thread gets one: that keeps an
/// image's activations in one core's cache and needs no waiting between
/// kernels. The images left over share all threads, one after the other. An
/// observer wants to see one step at a time.
static void forEachImage(BatchTask &task,
                         void (*body)(void *task, int32_t image)) {
  const Context &context = task.context;
  int32_t threads = context.observer ? 1 : threadCount(context.threads);
  int32_t concurrent = threads > 1 ? task.count / threads * threads : 0;
  if (concurrent > 0)
    parallelFor(context.threads, concurrent, body, &task);
  for (int32_t image = concurrent; image < task.count; ++image)
    body(&task, image);
}

/// What the images do together, as many at a time as the library was compiled
/// for. The last ones may be fewer.
static void finishBatch(const BatchTask &task) {
  const Variant &variant = *task.context.variant;
  int32_t together = task.context.model->finishImages;
  if (!variant.finish)
    return;
  for (int32_t image = 0; image < task.count; image += together) {
    int32_t left = task.count - image;
    variant.finish(
        invocationOf(task, image, left < together ? left : together));
  }
}

/// All images of the run. A device has one queue, which takes them in turn.
static vitc_status forwardBatch(BatchTask &task) {
  const Context &context = task.context;
  if (!context.device) {
    forEachImage(task, forwardImage);
    finishBatch(task);
    return VITC_OK;
  }
  for (int32_t image = 0; image < task.count; ++image)
    forwardImage(&task, image);
  return context.model->device->finish(context.device);
}

vitc_status run(void *context, const vitc_image_v2 *images, int32_t count,
                void *const *outputs) {
  // The images are read before anything is written.
  if (!context || !images || !validCount(*contextOf(context), count) ||
      !validOutputs(*contextOf(context), count, outputs, {nullptr, 0}))
    return VITC_ERROR_ARGUMENT;
  Call call(*contextOf(context));
  BatchTask task{*contextOf(context), count, images, nullptr, outputs};
  // All images first: one that does not fit leaves the outputs untouched.
  forEachImage(task, preprocessImage);
  if (task.status.load() != VITC_OK)
    return vitc_status(task.status.load());
  return forwardBatch(task);
}

vitc_status runTensor(void *context, const float *pixels, int32_t count,
                      void *const *outputs) {
  if (!context || !pixels || !validCount(*contextOf(context), count) ||
      !validOutputs(*contextOf(context), count, outputs,
                    tensorMemory(*contextOf(context)->model, pixels, count)))
    return VITC_ERROR_ARGUMENT;
  Call call(*contextOf(context));
  BatchTask task{*contextOf(context), count, nullptr, pixels, outputs};
  return forwardBatch(task);
}

vitc_status preprocess(void *context, const vitc_image_v2 *images,
                       int32_t count, float *pixels) {
  if (!context || !images || !pixels || !validCount(*contextOf(context), count))
    return VITC_ERROR_ARGUMENT;
  Call call(*contextOf(context));
  const Context &self = *contextOf(context);
  const Model &model = *self.model;
  for (int32_t image = 0; image < count; ++image) {
    vitc_status status =
        preprocess(model.preprocessing, images[image],
                   self.workspace + model.scratchOffset, pixels);
    if (status != VITC_OK)
      return status;
    pixels += pixelsPerImage(model);
  }
  return VITC_OK;
}

void observe(void *context, vitc_observer observer, void *user) {
  if (!context)
    return;
  contextOf(context)->observer = observer;
  contextOf(context)->observerUser = user;
}

const char *level(const void *context) {
  return context ? static_cast<const Context *>(context)->variant->level : "";
}

void destroy(void *context) {
  if (!context)
    return;
  Context *self = contextOf(context);
  if (self->device)
    self->model->device->close(self->device);
  stopThreads(self->threads);
  releaseWeights(self->weights);
  std::free(self);
}

} // namespace vitc::rt
