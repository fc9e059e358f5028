// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The uniform C table behind every emitted library: `const vitc_model_v1
/// *ID_model(void)`.
///
/// Tools (vitc run, bench, verify; Python's ctypes) drive any library through
/// it without its generated header. A product normally uses the typed functions
/// in ID.h instead. Fields are only ever added at the end of a new version of
/// the table; `version` says which one this is.
#ifndef VITC_RUNTIME_MODEL_H
#define VITC_RUNTIME_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VITC_MODEL_VERSION = 1, VITC_MAX_RANK = 6 };

/// Every function that can fail returns one of these; generated headers repeat
/// them as ID_OK and so on.
typedef enum vitc_status {
  VITC_OK = 0,
  VITC_ERROR_ARGUMENT = 1, ///< a null pointer, a size below 1, a stride below a
                           ///< row, a channel count the model cannot take, or
                           ///< outputs that overlap each other or the tensor
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
  VITC_ERROR_IMAGE_SIZE = 10, ///< after preprocessing the picture does not have
                              ///< the size that the model takes
  // Of libraries for a GPU:
  VITC_ERROR_DRIVER = 11, ///< the GPU's driver is missing or cannot be used
  VITC_ERROR_DEVICE = 12, ///< the driver has no device that the kernels run on
  VITC_ERROR_DEVICE_MEMORY = 13, ///< the device has too little memory left
  VITC_ERROR_DEVICE_FAILED = 14  ///< the device or its driver reported an error
} vitc_status;

/// One 8-bit picture. Rows are `stride` bytes apart (negative for bottom-up
/// pictures); `channels` interleaved bytes a pixel. A model with 3 channels
/// takes 1 (grey, repeated) or 3; a model with 1 channel takes 1 or 3 (turned
/// to grey as Pillow does); any other model takes its own number of channels. A
/// stride shorter than a row is refused, unless there is only one row.
typedef struct vitc_image_v1 {
  const uint8_t *pixels; ///< owned by the caller, only read
  int32_t width, height, channels;
  ptrdiff_t stride;
} vitc_image_v1;

/// A loop that the caller runs for the library: calls `body(task, i)` once for
/// each i in [0, count), on any threads, and returns when all are done. It runs
/// in the caller's floating-point environment; `body` sets its own.
typedef void (*vitc_parallel_for)(void *user, int32_t count,
                                  void (*body)(void *task, int32_t index),
                                  void *task);

typedef struct vitc_options_v1 {
  int32_t threads; ///< 0: one per core that the process may use
  vitc_parallel_for
      parallel_for;    ///< null: the library starts threads of its own
  void *parallel_user; ///< handed to parallel_for
  void *workspace; ///< null: allocated by create; else 64-byte aligned, kept
                   ///< alive by the caller
  size_t workspace_bytes;
} vitc_options_v1;

typedef struct vitc_output_v1 {
  const char *name;
  int32_t rank;
  int64_t shape[VITC_MAX_RANK]; ///< batch first
  int64_t elements;             ///< float32 values
} vitc_output_v1;

/// One kernel call of the model, in the order of execution. `buffer_*` say
/// where its result stands in the workspace: element [i][j] at buffer_offset +
/// 4·(i·buffer_stride + j); buffer_rows is 0 when the result is an output of
/// the model. A step that runs once for all images of the batch has a row of
/// each, in the workspace of all.
typedef struct vitc_step_v1 {
  const char *name;   ///< the layer, e.g. "encoder.layer.3.attention"
  const char *kernel; ///< the kernel's symbol
  double flops;       ///< floating-point operations of one call
  double bytes;       ///< bytes that the call must read and write at least once
  int64_t buffer_offset, buffer_rows, buffer_columns, buffer_stride;
} vitc_step_v1;

/// Called after each step with its index, in the default floating-point
/// environment; `workspace` is readable during the call.
typedef void (*vitc_observer)(void *user, int32_t step, const void *workspace);

typedef struct vitc_model_v1 {
  uint32_t version;
  const char *name;
  const char *target;
  int32_t batch, channels, height,
      width; ///< of the tensor that run_tensor takes, NCHW
  size_t workspace_bytes;
  uint64_t weights_bytes; ///< of the data, without the file's head
  double flops;           ///< nominal, for one batch
  int32_t output_count;
  const vitc_output_v1 *outputs;
  int32_t step_count;
  const vitc_step_v1 *steps;

  /// `weights_path` may be null when the weights are embedded. `options` may be
  /// null.
  vitc_status (*create)(const char *weights_path,
                        const vitc_options_v1 *options, void **context);
  /// `images` has `batch` entries, `outputs` has `output_count` pointers.
  vitc_status (*run)(void *context, const vitc_image_v1 *images,
                     float *const *outputs);
  vitc_status (*run_tensor)(void *context, const float *pixels,
                            float *const *outputs);
  /// What `run` makes of the pictures: batch·channels·height·width floats.
  vitc_status (*preprocess)(void *context, const vitc_image_v1 *images,
                            float *pixels);
  /// A null observer turns observation off.
  void (*observe)(void *context, vitc_observer observer, void *user);
  void (*destroy)(void *context);
  const char *(*status_text)(vitc_status status);
  /// The instruction set whose kernels the context runs, e.g. "avx2": chosen by
  /// create among those that the library holds.
  const char *(*level)(const void *context);
} vitc_model_v1;

#ifdef __cplusplus
}
#endif
#endif // VITC_RUNTIME_MODEL_H
