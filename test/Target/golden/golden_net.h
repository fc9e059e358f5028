// hf_vit_cls_p8, compiled for x86-64-avx2 by vitc VERSION. Generated; do not edit.
//
//   golden_net_context *context;
//   if (golden_net_create("share/golden_net/golden_net.weights", NULL, &context) != golden_net_OK) …
//   golden_net_image image = {pixels, width, height, golden_net_PIXELS_RGB, /*stride=*/width * 3, /*crop=*/{0, 0, 0, 0}};
//   static float logits[golden_net_LOGITS_ELEMENTS];
//   golden_net_run(context, &image, /*count=*/1, logits);
//   golden_net_destroy(context);
//
// Input: 1 image of any size, or their tensor: float32 [images, 3, 32, 32], normalised.
// A run takes the time of the images that it is given, and each has the same bits in any of them.
// Outputs, each dense and owned by the caller, for a full batch (axes: N images, C channels or classes, T tokens, H height, W width, L layers,
// A attention heads); fewer images are the first part of it, and what is behind is not written:
//   logits: logits, float32 [1, 10], axes NC
//
// Memory: weights 0.4 MB (mapped read-only, one copy for every context of the process), workspace 281 KB a context.
// Nothing is allocated, locked, opened or thrown after golden_net_create.
// Stack: a thread or fiber that calls these functions, and each one that runs tasks of parallel_for, needs 21 KB (golden_net_STACK_BYTES).
// Threads: any number of contexts; each is used by one thread at a time. Results have the same bits for any number of threads.
#ifndef GOLDEN_NET_H
#define GOLDEN_NET_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GOLDEN_NET_API __attribute__((visibility("default")))
#else
#define GOLDEN_NET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum golden_net_status {
  golden_net_OK = 0,
  golden_net_ERROR_ARGUMENT = 1,         ///< a null pointer, a number of images below 1 or above the batch, a size below 1, a stride below a row, a pixel format the model cannot take, a crop outside of its image, or outputs that overlap
  golden_net_ERROR_MEMORY = 2,           ///< the context could not be allocated
  golden_net_ERROR_WORKSPACE = 3,        ///< the caller's workspace is too small or not aligned to 64 bytes
  golden_net_ERROR_WEIGHTS_OPEN = 4,     ///< the weights file is missing or cannot be read
  golden_net_ERROR_WEIGHTS_FORMAT = 5,   ///< not a weights file, or cut short
  golden_net_ERROR_WEIGHTS_MISMATCH = 6, ///< a weights file of another model or of another compile
  golden_net_ERROR_WEIGHTS_CORRUPT = 7,  ///< the checksum does not match: a byte was changed
  golden_net_ERROR_CPU = 8,              ///< this CPU lacks instructions that the library was compiled for
  golden_net_ERROR_THREADS = 9,          ///< the threads could not be started
  golden_net_ERROR_IMAGE_SIZE = 10       ///< after preprocessing the image does not have the size that the model takes
} golden_net_status;

enum {
  golden_net_BATCH = 1, ///< the most images of a run
  golden_net_CHANNELS = 3,
  golden_net_HEIGHT = 32,
  golden_net_WIDTH = 32,
  golden_net_LABELS = 10 ///< classes that have names
};
/// Values of each output: for a full batch, and for one image.
enum { golden_net_LOGITS_ELEMENTS = 10, golden_net_LOGITS_IMAGE_ELEMENTS = 10 };
/// Exact size of the workspace; align it to 64 bytes when you bring your own.
#define golden_net_WORKSPACE_BYTES ((size_t)287104)
/// What these functions need of the caller's stack, and a task of parallel_for of its thread's: computed from the machine code. What else is
/// on that stack comes on top: the caller's own functions, parallel_for itself, signal handlers, the thread library's and thread-local data.
#define golden_net_STACK_BYTES ((size_t)21504)

/// How the bytes of an image are to be read: interleaved, 8 bits a channel. The model takes all of these:
/// grey is repeated for a model of colours, and colours are turned to grey for a model of one channel, as Pillow does.
/// More formats may follow.
typedef enum golden_net_pixel_format {
  golden_net_PIXELS_NATIVE = 0, ///< the model's own channels in their order: RGB for 3, grey for 1
  golden_net_PIXELS_GREY = 1,
  golden_net_PIXELS_RGB = 2,
  golden_net_PIXELS_BGR = 3,
  golden_net_PIXELS_RGBA = 4,   ///< alpha is ignored
  golden_net_PIXELS_BGRA = 5    ///< alpha is ignored
} golden_net_pixel_format;

/// A part of an image in pixels, from its first row and its left column on.
typedef struct golden_net_rectangle {
  int32_t x, y, width, height;
} golden_net_rectangle;

/// One 8-bit image; no copy of it is made. Rows are `stride` bytes apart (negative for bottom-up images).
typedef struct golden_net_image {
  const uint8_t *pixels; ///< of the first row; owned by the caller, only read
  int32_t width, height;
  int32_t format; ///< a golden_net_pixel_format
  ptrdiff_t stride;
  golden_net_rectangle crop; ///< the part to look at, before everything else; all zero: the whole image
} golden_net_image;

/// A loop of the caller's: calls `body(task, i)` once for each i in [0, count), on any threads, and returns when all are done.
typedef void (*golden_net_parallel_for)(void *user, int32_t count, void (*body)(void *task, int32_t index), void *task);

/// All zero is a good choice.
typedef struct golden_net_options {
  int32_t threads;                  ///< 0: one per core that the process may use
  golden_net_parallel_for parallel_for; ///< NULL: the library starts threads of its own
  void *parallel_user;              ///< handed to parallel_for
  void *workspace;                  ///< NULL: allocated by golden_net_create; else kept alive by the caller
  size_t workspace_bytes;
} golden_net_options;

typedef struct golden_net_context golden_net_context;

/// `weights_path`: the path of golden_net.weights, which the same compile wrote. `options` may be NULL. On failure *context is NULL.
GOLDEN_NET_API golden_net_status golden_net_create(const char *weights_path, const golden_net_options *options, golden_net_context **context);
/// Runs `count` images, 1 to golden_net_BATCH; each output has memory for as many. Resizes, crops and normalises as the model's processor does.
GOLDEN_NET_API golden_net_status golden_net_run(golden_net_context *context, const golden_net_image *images, int32_t count, float *logits);
/// The same with the ready tensor of `count` images.
GOLDEN_NET_API golden_net_status golden_net_run_tensor(golden_net_context *context, const float *pixels, int32_t count, float *logits);
/// The name of a class, UTF-8; NULL for an index that is none.
GOLDEN_NET_API const char *golden_net_label(int32_t index);
/// Nothing happens to NULL.
GOLDEN_NET_API void golden_net_destroy(golden_net_context *context);
/// One line of text, never NULL.
GOLDEN_NET_API const char *golden_net_status_text(golden_net_status status);
/// The uniform table that tools use: vitc/runtime/model.h.
GOLDEN_NET_API const struct vitc_model_v2 *golden_net_model(void);

#ifdef __cplusplus
} // extern "C"

/// The same as a class. Move-only; `status()` says whether it can be used. One that was moved from has no context: its status is
/// golden_net_ERROR_ARGUMENT, and so is what its functions return, until another one is moved into it.
class golden_net_net final {
public:
  explicit golden_net_net(const char *weightsPath, const golden_net_options *options = nullptr)
      : state(golden_net_create(weightsPath, options, &context)) {}
  golden_net_net(golden_net_net &&other) noexcept : context(other.context), state(other.state) { other.release(); }
  golden_net_net &operator=(golden_net_net &&other) noexcept {
    if (this != &other) {
      golden_net_destroy(context);
      context = other.context;
      state = other.state;
      other.release();
    }
    return *this;
  }
  golden_net_net(const golden_net_net &) = delete;
  golden_net_net &operator=(const golden_net_net &) = delete;
  ~golden_net_net() { golden_net_destroy(context); }

  golden_net_status status() const { return state; }
  golden_net_status run(const golden_net_image &image, float *logits) { return golden_net_run(context, &image, 1, logits); }
  golden_net_status run(const golden_net_image *images, int32_t count, float *logits) { return golden_net_run(context, images, count, logits); }
  golden_net_status runTensor(const float *pixels, int32_t count, float *logits) { return golden_net_run_tensor(context, pixels, count, logits); }

private:
  void release() noexcept {
    context = nullptr;
    state = golden_net_ERROR_ARGUMENT;
  }

  golden_net_context *context = nullptr;
  golden_net_status state;
};
#endif
#endif // GOLDEN_NET_H
