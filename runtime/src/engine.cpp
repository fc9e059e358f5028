#include "vitc/runtime/engine.h"

#include "vitc/runtime/threads.h"
#include "vitc/runtime/weights.h"

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
  unsigned char *workspace = nullptr;
  vitc_observer observer = nullptr;
  void *observerUser = nullptr;
};

} // namespace

static Context *contextOf(void *context) {
  return static_cast<Context *>(context);
}

static bool fitsWorkspace(const Model &model, const vitc_options_v1 &options) {
  return reinterpret_cast<uintptr_t>(options.workspace) % workspaceAlignment ==
             0 &&
         options.workspace_bytes >= model.table.workspace_bytes;
}

/// One block for the context and, unless it is lent, the workspace.
static Context *allocateContext(const Model &model,
                                const vitc_options_v1 &options) {
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
                   const vitc_options_v1 *options, void **result) {
  if (!result)
    return VITC_ERROR_ARGUMENT;
  *result = nullptr;
  vitc_options_v1 chosen = options ? *options : vitc_options_v1{};
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
  if (status == VITC_OK)
    status = startThreads(chosen.threads, chosen.parallel_for,
                          chosen.parallel_user, &context->threads);
  if (status != VITC_OK) {
    destroy(context);
    return status;
  }
  *result = context;
  return VITC_OK;
}

static bool validOutputs(const Context &context, float *const *outputs) {
  if (!outputs)
    return false;
  for (int32_t output = 0; output < context.model->table.output_count; ++output)
    if (!outputs[output])
      return false;
  return true;
}

static void forward(const Context &context, const float *pixels,
                    float *const *outputs) {
  context.variant->forward({context.threads, pixels, weightsData(context.weights),
                          context.workspace, outputs, context.observer,
                          context.observerUser});
}

static vitc_status preprocessBatch(const Context &context,
                                   const vitc_image_v1 *images, float *pixels) {
  const Model &model = *context.model;
  const Preprocessing &how = model.preprocessing;
  size_t pictureFloats =
      size_t(how.channels) * size_t(how.height) * size_t(how.width);
  for (int32_t image = 0; image < model.table.batch; ++image) {
    vitc_status status = preprocess(
        how, images[image], context.workspace + model.scratchOffset, pixels);
    if (status != VITC_OK)
      return status;
    pixels += pictureFloats;
  }
  return VITC_OK;
}

vitc_status run(void *context, const vitc_image_v1 *images,
                float *const *outputs) {
  if (!context || !images || !validOutputs(*contextOf(context), outputs))
    return VITC_ERROR_ARGUMENT;
  const Context &self = *contextOf(context);
  auto *pixels =
      reinterpret_cast<float *>(self.workspace + self.model->pixelsOffset);
  if (vitc_status status = preprocessBatch(self, images, pixels))
    return status;
  forward(self, pixels, outputs);
  return VITC_OK;
}

vitc_status runTensor(void *context, const float *pixels,
                      float *const *outputs) {
  if (!context || !pixels || !validOutputs(*contextOf(context), outputs))
    return VITC_ERROR_ARGUMENT;
  forward(*contextOf(context), pixels, outputs);
  return VITC_OK;
}

vitc_status preprocess(void *context, const vitc_image_v1 *images,
                       float *pixels) {
  if (!context || !images || !pixels)
    return VITC_ERROR_ARGUMENT;
  return preprocessBatch(*contextOf(context), images, pixels);
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
  stopThreads(self->threads);
  releaseWeights(self->weights);
  std::free(self);
}

} // namespace vitc::rt
