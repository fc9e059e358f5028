// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The uniform C table behind every emitted library: `const vitc_model_v2
/// *ID_model(void)`.
///
/// Tools (vitc run, bench, verify; Python's ctypes) drive any library through
/// it without its generated header. A product normally uses the typed functions
/// in ID.h instead. A table that differs has another `version`, which is the
/// first field of each.
#ifndef VITC_RUNTIME_MODEL_H
#define VITC_RUNTIME_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define VITC_CONSTANT_FUNCTION static constexpr
extern "C" {
#else
#define VITC_CONSTANT_FUNCTION static inline
#endif

enum { VITC_MODEL_VERSION = 2, VITC_MAX_RANK = 6 };

/// Every function that can fail returns one of these; generated headers repeat
/// them as ID_OK and so on.
typedef enum vitc_status {
  VITC_OK = 0,
  VITC_ERROR_ARGUMENT = 1, ///< a null pointer, a number of images below 1 or
                           ///< above the batch, a size below 1, a stride below
                           ///< a row, a pixel format the model cannot take, a
                           ///< rectangle outside of its image, or outputs that
                           ///< overlap each other or the tensor
  VITC_ERROR_MEMORY = 2,   ///< the context could not be allocated
  VITC_ERROR_WORKSPACE =
      3, ///< the caller's workspace is too small or not aligned to 64 bytes
  VITC_ERROR_WEIGHTS_OPEN =
      4, ///< the weights file is missing or cannot be read
  VITC_ERROR_WEIGHTS_FORMAT = 5, ///< not a weights file, or cut short
  VITC_ERROR_WEIGHTS_MISMATCH =
      6, ///< a weights file of another model or of another compile
  VITC_ERROR_WEIGHTS_CORRUPT =
      7, ///< the checksum does not match: a byte was changed
  VITC_ERROR_CPU =
      8, ///< this CPU lacks instructions that the library was compiled for
  VITC_ERROR_THREADS = 9,     ///< the threads could not be started
  VITC_ERROR_IMAGE_SIZE = 10, ///< after preprocessing the image does not have
                              ///< the size that the model takes
  // Of libraries for a GPU:
  VITC_ERROR_DRIVER = 11, ///< the GPU's driver is missing or cannot be used
  VITC_ERROR_DEVICE = 12, ///< the driver has no device that the kernels run on
  VITC_ERROR_DEVICE_MEMORY = 13, ///< the device has too little memory left
  VITC_ERROR_DEVICE_FAILED = 14  ///< the device or its driver reported an error
} vitc_status;

/// What the values of a tensor are made of: VITC_F32, VITC_F16, VITC_BF16,
/// VITC_U8, VITC_I8, VITC_U16, VITC_I16, VITC_I32, VITC_I64.
typedef enum vitc_element_type {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, ...) VITC_##NAME = Number,
#include "vitc/runtime/element_types.def"
} vitc_element_type;

/// Bytes of one value; 0 for a number that is no element type.
VITC_CONSTANT_FUNCTION size_t vitc_element_bytes(vitc_element_type type) {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, ...)                        \
  if (type == VITC_##NAME)                                                     \
    return Bytes;
#include "vitc/runtime/element_types.def"
  return 0;
}

/// What an output is: VITC_KIND_LOGITS, VITC_KIND_EMBEDDING and so on.
typedef enum vitc_output_kind {
#define VITC_OUTPUT_KIND(Id, NAME, Number, ...) VITC_KIND_##NAME = Number,
#include "vitc/runtime/output_kinds.def"
} vitc_output_kind;

/// How the bytes of an image are to be read. All are interleaved, 8 bits a
/// channel. A model with 3 channels takes grey, which is repeated, and every
/// colour format; a model with 1 channel takes the same, colours turned to grey
/// as Pillow does; any other model takes VITC_PIXELS_NATIVE only. Alpha is
/// ignored: colours are taken as they are, not multiplied by it. 6 and 7 are
/// kept for NV12 and I420.
typedef enum vitc_pixel_format {
  VITC_PIXELS_NATIVE = 0, ///< the model's own channels in their order: RGB for
                          ///< 3, grey for 1
  VITC_PIXELS_GREY = 1,
  VITC_PIXELS_RGB = 2,
  VITC_PIXELS_BGR = 3,
  VITC_PIXELS_RGBA = 4,
  VITC_PIXELS_BGRA = 5
} vitc_pixel_format;

/// A part of an image in pixels, from its first row and its left column on.
typedef struct vitc_rectangle_v2 {
  int32_t x, y, width, height;
} vitc_rectangle_v2;

/// One 8-bit image. Rows are `stride` bytes apart (negative for bottom-up
/// images). A stride shorter than a row is refused, unless there is only one
/// row.
typedef struct vitc_image_v2 {
  const uint8_t *pixels; ///< of the first row; owned by the caller, only read
  int32_t width, height;
  int32_t format; ///< a vitc_pixel_format
  ptrdiff_t stride;
  vitc_rectangle_v2 crop; ///< the part to look at, before everything else; all
                          ///< zero: the whole image
} vitc_image_v2;

/// A loop that the caller runs for the library: calls `body(task, i)` once for
/// each i in [0, count), on any threads, and returns when all are done. It runs
/// in the caller's floating-point environment; `body` sets its own.
typedef void (*vitc_parallel_for)(void *user, int32_t count,
                                  void (*body)(void *task, int32_t index),
                                  void *task);

typedef struct vitc_options_v2 {
  int32_t threads; ///< 0: one per core that the process may use
  vitc_parallel_for
      parallel_for;    ///< null: the library starts threads of its own
  void *parallel_user; ///< handed to parallel_for
  void *workspace; ///< null: allocated by create; else 64-byte aligned, kept
                   ///< alive by the caller
  size_t workspace_bytes;
} vitc_options_v2;

/// One output. It is dense, its images follow each other, and each of them is
/// `elements / batch` values.
typedef struct vitc_output_v2 {
  const char *name;
  vitc_element_type type;
  vitc_output_kind kind;
  /// A letter for each axis: N images, C channels or classes, T tokens, H
  /// height, W width, L layers, A attention heads, X anything else. Where an
  /// image has several windows, N counts those.
  const char *layout;
  int32_t rank;
  int64_t shape[VITC_MAX_RANK]; ///< of a full batch, images first
  int64_t elements;             ///< of a full batch
  uint64_t bytes;               ///< of a full batch
} vitc_output_v2;

/// One kernel call of the model, in the order of execution. `buffer_*` say
/// where its result is in the workspace that an observer sees: element [i][j],
/// of `type`, at buffer_offset + i·buffer_stride + j·(bytes of a value);
/// buffer_rows is 0 when the result is an output of the model. A step that runs
/// once for several images has a row of each; rows of images that a run was not
/// given hold anything.
typedef struct vitc_step_v2 {
  const char *name;   ///< the layer, e.g. "encoder.layer.3.attention"
  const char *kernel; ///< the kernel's symbol
  double flops;       ///< floating-point operations of one call
  double bytes;       ///< bytes that the call must read and write at least once
  int32_t images;     ///< that one call computes
  vitc_element_type type;
  int64_t buffer_offset;               ///< in bytes
  int64_t buffer_rows, buffer_columns; ///< in values
  int64_t buffer_stride;               ///< in bytes
} vitc_step_v2;

/// Called after each step with its index, in the default floating-point
/// environment; `workspace` is readable during the call.
typedef void (*vitc_observer)(void *user, int32_t step, const void *workspace);

typedef struct vitc_model_v2 {
  uint32_t version;
  const char *name;
  const char *target;
  int32_t batch; ///< the most images of a run
  int32_t channels, height,
      width; ///< of the tensor that run_tensor takes, NCHW, float32
  size_t workspace_bytes;
  uint64_t weights_bytes; ///< of the data, without the file's head
  double flops;           ///< nominal, for one batch
  int32_t output_count;
  const vitc_output_v2 *outputs;
  int32_t step_count;
  const vitc_step_v2 *steps;
  int32_t label_count;       ///< 0 if the classes have no names
  const char *const *labels; ///< of the classes, UTF-8; null if there are none

  /// `weights_path` may be null when the weights are embedded. `options` may be
  /// null.
  vitc_status (*create)(const char *weights_path,
                        const vitc_options_v2 *options, void **context);
  /// Runs `count` images, 1 to `batch`. `images` has as many entries; `outputs`
  /// has `output_count` pointers, each to memory for `count` images, aligned
  /// for the output's type. No more than that is written.
  vitc_status (*run)(void *context, const vitc_image_v2 *images, int32_t count,
                     void *const *outputs);
  /// The same with the ready tensor: count·channels·height·width floats.
  vitc_status (*run_tensor)(void *context, const float *pixels, int32_t count,
                            void *const *outputs);
  /// What `run` makes of the images: count·channels·height·width floats.
  vitc_status (*preprocess)(void *context, const vitc_image_v2 *images,
                            int32_t count, float *pixels);
  /// A null observer turns observation off.
  void (*observe)(void *context, vitc_observer observer, void *user);
  void (*destroy)(void *context);
  const char *(*status_text)(vitc_status status);
  /// The instruction set whose kernels the context runs, e.g. "avx2": chosen by
  /// create among those that the library holds.
  const char *(*level)(const void *context);
} vitc_model_v2;

#ifdef __cplusplus
}
#endif
#endif // VITC_RUNTIME_MODEL_H
