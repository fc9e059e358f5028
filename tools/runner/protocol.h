// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What vitc and the runner, a program for another architecture, say to each
/// other over one socket. Both are 64-bit and little-endian; a text is its
/// length (uint32_t) and its bytes.
///
/// At the start the runner sends the library's table: version (uint32_t), name,
/// target; batch, channels, height, width (int32_t); workspace and weights
/// bytes (uint64_t); flops (double); the number of outputs (int32_t), each with
/// name, element type, kind (int32_t), layout, rank (int32_t), shape, elements
/// and bytes (int64_t); the number of steps (int32_t), each with layer, kernel,
/// flops, bytes (double), images and element type (int32_t) and where its
/// result is (4 times int64_t); the number of labels (int32_t), and these.
///
/// Then it answers one Command (int32_t) after another until the socket ends.
/// Every answer ends in a vitc_status (int32_t) and its text; after VITC_OK
/// there follow
///   Create     the level that was chosen, a text
///   Run...     the part of each output that belongs to the run's images
/// While it is observed, a run's answer starts with one message for each step:
/// its index (int32_t, -1 after the last one) and its result, buffer_rows x
/// buffer_columns values.
#ifndef VITC_TOOLS_RUNNER_PROTOCOL_H
#define VITC_TOOLS_RUNNER_PROTOCOL_H

#include <cstdint>

namespace vitc::runner {

enum class Command : int32_t {
  Create,    ///< threads (int32_t), the weights' path (empty: embedded)
  RunTensor, ///< the number of images (int32_t), the tensor, float32
  RunImages, ///< the number of images, and for each: width, height, format,
             ///< bytes of a pixel (int32_t), dense rows
  Observe    ///< 1 or 0 (int32_t); no answer
};

} // namespace vitc::runner

#endif // VITC_TOOLS_RUNNER_PROTOCOL_H
