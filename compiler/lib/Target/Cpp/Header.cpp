// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// include/ID.h: the C API and the C++ class over it.
#include "Constants.h"

using namespace vitc;

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
    outputParameters += (", " + output.type->cType + " *" + output.name).str();
    outputArguments += ", " + output.name;
    outputDocs +=
        llvm::formatv("//   {0}: {1}, {2} {3}, axes {4}\n", output.name,
                      textOf(output.form.kind), output.type->text,
                      shapeText(output.shape), output.form.layout)
            .str();
    sizes +=
        llvm::formatv(
            "enum {{ {0}_{1}_ELEMENTS = {2}, {0}_{1}_IMAGE_ELEMENTS = {3} };\n",
            words["ID"], upper(output.name), output.elements(),
            output.elements() / library.batch)
            .str();
  }
  words["PARAMETERS"] = outputParameters;
  words["ARGUMENTS"] = outputArguments;
  words["OUTPUT_DOCS"] = outputDocs;
  words["OUTPUT_SIZES"] = sizes;
  words["STATUSES"] = enumBody(library, statuses(library));
  words["PIXEL_FORMATS"] = enumBody(library, pixelFormats());
  bool isUsual = library.channels == 1 || library.channels == 3;
  words["FORMATS_DOC"] =
      isUsual ? "The model takes all of these:\n/// grey is repeated for a "
                "model of "
                "colours, and colours are turned to grey for a model of one "
                "channel, as Pillow does."
              : "The model takes its own channels only.";
  words["EXAMPLE_FORMAT"] = library.channels == 3   ? "PIXELS_RGB"
                            : library.channels == 1 ? "PIXELS_GREY"
                                                    : "PIXELS_NATIVE";
  words["EXAMPLE_STRIDE"] = library.channels == 1
                                ? "width"
                                : "width * " + std::to_string(library.channels);
  words["COUNTS"] =
      library.batch == 1 ? "1 image" : "1 to " + words["BATCH"] + " images";
  words["LABEL_COUNT"] = std::to_string(library.labels.size());
  words["LABELS_DOC"] =
      library.labels.empty()
          ? "This model's classes have no names: NULL."
          : "The name of a class, UTF-8; NULL for an index that is none.";
  words["FIRST_TYPE"] = library.outputs.front().type->cType.str();
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
//   @ID@_image image = {pixels, width, height, @ID@_@EXAMPLE_FORMAT@, /*stride=*/@EXAMPLE_STRIDE@, /*crop=*/{0, 0, 0, 0}};
//   static @FIRST_TYPE@ @FIRST_OUTPUT@[@ID@_@FIRST_UPPER@_ELEMENTS];
//   @ID@_run(context, &image, /*count=*/1@EXAMPLE_ARGUMENTS@);
//   @ID@_destroy(context);
//
// Input: @COUNTS@ of any size, or their tensor: float32 [images, @CHANNELS@, @HEIGHT@, @WIDTH@], normalised.
// A run takes the time of the images that it is given, and each has the same bits in any of them.
// Outputs, each dense and owned by the caller, for a full batch (axes: N images, C channels or classes, T tokens, H height, W width, L layers,
// A attention heads); fewer images are the first part of it, and what is behind is not written:
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
@STATUSES@} @ID@_status;

enum {
  @ID@_BATCH = @BATCH@, ///< the most images of a run
  @ID@_CHANNELS = @CHANNELS@,
  @ID@_HEIGHT = @HEIGHT@,
  @ID@_WIDTH = @WIDTH@,
  @ID@_LABELS = @LABEL_COUNT@ ///< classes that have names
};
/// Values of each output: for a full batch, and for one image.
@OUTPUT_SIZES@/// Exact size of the workspace; align it to 64 bytes when you bring your own.
#define @ID@_WORKSPACE_BYTES ((size_t)@WORKSPACE@)
/// What these functions need of the caller's stack, and a task of parallel_for of its thread's: computed from the machine code. What else is
/// on that stack comes on top: the caller's own functions, parallel_for itself, signal handlers, the thread library's and thread-local data.
#define @ID@_STACK_BYTES ((size_t)@STACK@)

/// How the bytes of an image are to be read: interleaved, 8 bits a channel. @FORMATS_DOC@
/// More formats may follow.
typedef enum @ID@_pixel_format {
@PIXEL_FORMATS@} @ID@_pixel_format;

/// A part of an image in pixels, from its first row and its left column on.
typedef struct @ID@_rectangle {
  int32_t x, y, width, height;
} @ID@_rectangle;

/// One 8-bit image; no copy of it is made. Rows are `stride` bytes apart (negative for bottom-up images).
typedef struct @ID@_image {
  const uint8_t *pixels; ///< of the first row; owned by the caller, only read
  int32_t width, height;
  int32_t format; ///< a @ID@_pixel_format
  ptrdiff_t stride;
  @ID@_rectangle crop; ///< the part to look at, before everything else; all zero: the whole image
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
/// Runs `count` images, 1 to @ID@_BATCH; each output has memory for as many. Resizes, crops and normalises as the model's processor does.
@UPPER@_API @ID@_status @ID@_run(@ID@_context *context, const @ID@_image *images, int32_t count@PARAMETERS@);
/// The same with the ready tensor of `count` images.
@UPPER@_API @ID@_status @ID@_run_tensor(@ID@_context *context, const float *pixels, int32_t count@PARAMETERS@);
/// @LABELS_DOC@
@UPPER@_API const char *@ID@_label(int32_t index);
/// Nothing happens to NULL.
@UPPER@_API void @ID@_destroy(@ID@_context *context);
/// One line of text, never NULL.
@UPPER@_API const char *@ID@_status_text(@ID@_status status);
/// The uniform table that tools use: vitc/runtime/model.h.
@UPPER@_API const struct vitc_model_v2 *@ID@_model(void);

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
  @ID@_status run(const @ID@_image &image@PARAMETERS@) { return @ID@_run(context, &image, 1@ARGUMENTS@); }
  @ID@_status run(const @ID@_image *images, int32_t count@PARAMETERS@) { return @ID@_run(context, images, count@ARGUMENTS@); }
  @ID@_status runTensor(const float *pixels, int32_t count@PARAMETERS@) { return @ID@_run_tensor(context, pixels, count@ARGUMENTS@); }

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
