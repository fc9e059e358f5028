// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// include/ID.h: the C API and the C++ class over it.
#include "Text.h"

using namespace vitc;

static constexpr const char *lastStatus =
    "       ///< after preprocessing the picture does not have the size that "
    "the model takes";

/// What libraries for a CPU never answer.
static std::string deviceStatuses(const LibraryDescription &library) {
  const std::string &id = library.name;
  return "," + std::string(lastStatus) + "\n  " + id +
         "_ERROR_DRIVER = 11,         ///< the GPU's driver is missing or "
         "cannot be used\n  " +
         id +
         "_ERROR_DEVICE = 12,         ///< the driver has no device that the "
         "kernels run on\n  " +
         id +
         "_ERROR_DEVICE_MEMORY = 13,  ///< the device has too little memory "
         "left\n  " +
         id +
         "_ERROR_DEVICE_FAILED = 14   ///< the device or its driver reported "
         "an error";
}

static std::string deviceDoc(const LibraryDescription &library) {
  std::string name = library.device == "cuda" ? "CUDA" : "OpenCL";
  return "// Device: runs on the first " + name +
         " device, or on the one that the environment variable VITC_DEVICE "
         "numbers. The driver is loaded by " +
         library.name +
         "_create, which says when there is none;\n// it also uploads the "
         "weights, once per process. The driver itself may allocate and lock "
         "while it runs.\n";
}

std::string vitc::emitHeader(const LibraryDescription &library) {
  Words words = wordsOf(library, Language::Cpp);
  std::string outputParameters, outputArguments, outputDocs, sizes;
  for (const OutputDescription &output : library.outputs) {
    outputParameters += ", float *" + output.name;
    outputArguments += ", " + output.name;
    outputDocs += llvm::formatv("//   {0}: float32 {1}\n", output.name,
                                shapeText(output.shape))
                      .str();
    sizes += llvm::formatv("enum {{ {0}_{1}_ELEMENTS = {2} };\n", words["ID"],
                           upper(output.name), output.elements())
                 .str();
  }
  words["PARAMETERS"] = outputParameters;
  words["ARGUMENTS"] = outputArguments;
  words["OUTPUT_DOCS"] = outputDocs;
  words["OUTPUT_SIZES"] = sizes;
  words["DEVICE_STATUSES"] =
      library.device.empty() ? lastStatus : deviceStatuses(library);
  words["DEVICE_DOC"] = library.device.empty() ? "" : deviceDoc(library);
  words["STACK_DOC"] =
      library.device.empty() ? "" : ", and what the driver needs";
  words["FIRST_OUTPUT"] = library.outputs.front().name;
  words["WEIGHTS_ARGUMENT"] =
      library.embedWeights
          ? "NULL"
          : ("\"share/" + library.name + "/" + library.name + ".weights\"");
  words["WEIGHTS_DOC"] =
      library.embedWeights
          ? "the weights are inside the library, so the path may be NULL"
          : "the path of " + library.name +
                ".weights, which the same compile wrote";
  return fill(
      R"(// @MODEL@, compiled for @TARGET@ by vitc @VERSION@. Generated; do not edit.
//
//   @ID@_context *context;
//   if (@ID@_create(@WEIGHTS_ARGUMENT@, NULL, &context) != @ID@_OK) …
//   @ID@_image image = {pixels, width, height, /*channels=*/@CHANNELS@, /*stride=*/width * @CHANNELS@};
//   static float @FIRST_OUTPUT@[@ID@_@FIRST_UPPER@_ELEMENTS];
//   @ID@_run(context, &image@EXAMPLE_ARGUMENTS@);
//   @ID@_destroy(context);
//
// Input: @BATCH@ picture(s) of any size, or one tensor: float32 [@BATCH@, @CHANNELS@, @HEIGHT@, @WIDTH@], normalised.
// Outputs, each dense and owned by the caller:
@OUTPUT_DOCS@//
// Memory: weights @WEIGHTS_MB@ MB (mapped read-only, one copy for every context of the process), workspace @WORKSPACE_KB@ KB a context.
// Nothing is allocated, locked, opened or thrown after @ID@_create.
// Stack: a thread or fiber that calls these functions, and each one that runs tasks of parallel_for, needs @STACK_KB@ KB (@ID@_STACK_BYTES)@STACK_DOC@.
@DEVICE_DOC@// Threads: any number of contexts; each is used by one thread at a time. Results have the same bits for any number of threads.
#ifndef @UPPER@_H
#define @UPPER@_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define @UPPER@_API __attribute__((visibility("default")))
#else
#define @UPPER@_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum @ID@_status {
  @ID@_OK = 0,
  @ID@_ERROR_ARGUMENT = 1,         ///< a null pointer, a size below 1, a stride below a row, a channel count the model cannot take, or outputs that overlap
  @ID@_ERROR_MEMORY = 2,           ///< the context could not be allocated
  @ID@_ERROR_WORKSPACE = 3,        ///< the caller's workspace is too small or not aligned to 64 bytes
  @ID@_ERROR_WEIGHTS_OPEN = 4,     ///< the weights file is missing or cannot be read
  @ID@_ERROR_WEIGHTS_FORMAT = 5,   ///< not a weights file, or cut short
  @ID@_ERROR_WEIGHTS_MISMATCH = 6, ///< a weights file of another model or of another compile
  @ID@_ERROR_WEIGHTS_CORRUPT = 7,  ///< the checksum does not match: a byte was changed
  @ID@_ERROR_CPU = 8,              ///< this CPU lacks instructions that the library was compiled for
  @ID@_ERROR_THREADS = 9,          ///< the threads could not be started
  @ID@_ERROR_IMAGE_SIZE = 10@DEVICE_STATUSES@
} @ID@_status;

enum {
  @ID@_BATCH = @BATCH@,
  @ID@_CHANNELS = @CHANNELS@,
  @ID@_HEIGHT = @HEIGHT@,
  @ID@_WIDTH = @WIDTH@
};
@OUTPUT_SIZES@/// Exact size of the workspace; align it to 64 bytes when you bring your own.
#define @ID@_WORKSPACE_BYTES ((size_t)@WORKSPACE@)
/// What these functions need of the caller's stack, and a task of parallel_for of its thread's: computed from the machine code. What else is
/// on that stack comes on top: the caller's own functions, parallel_for itself, signal handlers, the thread library's and thread-local data.
#define @ID@_STACK_BYTES ((size_t)@STACK@)

/// One 8-bit picture. Rows are `stride` bytes apart (negative for bottom-up pictures), `channels` interleaved bytes a pixel: 1 (grey) or 3 (RGB).
typedef struct @ID@_image {
  const uint8_t *pixels; ///< owned by the caller, only read
  int32_t width, height, channels;
  ptrdiff_t stride;
} @ID@_image;

/// A loop of the caller's: calls `body(task, i)` once for each i in [0, count), on any threads, and returns when all are done.
typedef void (*@ID@_parallel_for)(void *user, int32_t count, void (*body)(void *task, int32_t index), void *task);

/// All zero is a good choice.
typedef struct @ID@_options {
  int32_t threads;                  ///< 0: one per core that the process may use
  @ID@_parallel_for parallel_for; ///< NULL: the library starts threads of its own
  void *parallel_user;              ///< handed to parallel_for
  void *workspace;                  ///< NULL: allocated by @ID@_create; else kept alive by the caller
  size_t workspace_bytes;
} @ID@_options;

typedef struct @ID@_context @ID@_context;

/// `weights_path`: @WEIGHTS_DOC@. `options` may be NULL. On failure *context is NULL.
@UPPER@_API @ID@_status @ID@_create(const char *weights_path, const @ID@_options *options, @ID@_context **context);
/// `images` has @ID@_BATCH entries. Resizes, crops and normalises as the model's processor does.
@UPPER@_API @ID@_status @ID@_run(@ID@_context *context, const @ID@_image *images@PARAMETERS@);
/// The ready tensor instead of pictures.
@UPPER@_API @ID@_status @ID@_run_tensor(@ID@_context *context, const float *pixels@PARAMETERS@);
/// Nothing happens to NULL.
@UPPER@_API void @ID@_destroy(@ID@_context *context);
/// One line of text, never NULL.
@UPPER@_API const char *@ID@_status_text(@ID@_status status);
/// The uniform table that tools use: vitc/runtime/model.h.
@UPPER@_API const struct vitc_model_v1 *@ID@_model(void);

#ifdef __cplusplus
} // extern "C"

/// The same as a class. Move-only; `status()` says whether it can be used. One that was moved from has no context: its status is
/// @ID@_ERROR_ARGUMENT, and so is what its functions return, until another one is moved into it.
class @ID@_net final {
public:
  explicit @ID@_net(const char *weightsPath, const @ID@_options *options = nullptr)
      : state(@ID@_create(weightsPath, options, &context)) {}
  @ID@_net(@ID@_net &&other) noexcept : context(other.context), state(other.state) { other.release(); }
  @ID@_net &operator=(@ID@_net &&other) noexcept {
    if (this != &other) {
      @ID@_destroy(context);
      context = other.context;
      state = other.state;
      other.release();
    }
    return *this;
  }
  @ID@_net(const @ID@_net &) = delete;
  @ID@_net &operator=(const @ID@_net &) = delete;
  ~@ID@_net() { @ID@_destroy(context); }

  @ID@_status status() const { return state; }
  @ID@_status run(const @ID@_image *images@PARAMETERS@) { return @ID@_run(context, images@ARGUMENTS@); }
  @ID@_status runTensor(const float *pixels@PARAMETERS@) { return @ID@_run_tensor(context, pixels@ARGUMENTS@); }

private:
  void release() noexcept {
    context = nullptr;
    state = @ID@_ERROR_ARGUMENT;
  }

  @ID@_context *context = nullptr;
  @ID@_status state;
};
#endif
#endif // @UPPER@_H
)",
      words);
}
