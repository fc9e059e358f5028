// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What every backend reads of the families attention and
/// single_query_attention.
#ifndef VITC_SCHEDULES_COMMON_ATTENTION_H
#define VITC_SCHEDULES_COMMON_ATTENTION_H

#include "common/machine.h"
#include "common/schedule.h"

#include <cstdint>

namespace vitc::schedules {

/// Scores are in units of log2, so that the softmax takes powers of two.
constexpr double log2e = 1.4426950408889634;

/// The specification of an attention.
struct AttentionSpec {
  /// The scratch argument is sized for this multiple of keys.
  static constexpr int scratchKeys = 32;

  explicit AttentionSpec(Fields &spec);

  int batch, heads, tokens, queryCount, headDim;
  double scale;
  int ldq, ldk, ldv, ldo, probBatchStride = 0;
  bool withMaps, withBias;
  bool pairs; ///< the products may be paired ones
  int masks, ldb = 0;
};

/// Its schedule for a CPU: a task is a block of queries of one head, whose
/// scores stand on the stack; or where heads are small, several blocks one
/// after the other.
struct AttentionSchedule {
  /// `weightTiles` is how many tiles' weights stand on the stack beside the
  /// scores, and `otherBytes` what else does; `unroll` has the values that
  /// unroll_k may have.
  AttentionSchedule(const AttentionSpec &spec, const Machine &machine,
                    Schedule &schedule, Fields &fields, int weightTiles,
                    int otherBytes, const Values &unroll);
  AttentionSchedule() = default;

  int panel, panels; ///< columns of a panel of keys, panels that hold them
  int keys;          ///< columns that are computed
  int tileRows, block, unrollK;
  int together; ///< blocks that share a task
  bool parallel;
};

/// The specification of an attention of one query per image.
struct SingleQuerySpec {
  SingleQuerySpec(Fields &spec, const Machine &machine);

  /// The parameter `tile_h`, then `parallel`.
  int readTileHeads(Schedule &schedule, Fields &fields) const;
  bool readParallel(Schedule &schedule, int tileHeads) const;

  int batch, heads, tokens, headDim, channels;
  double scale;
  int ldx, batchStride, ldq, ldk, ldo, panel, panels;
  int width;             ///< columns of x and key that may be read
  int scores;            ///< tokens rounded up to whole vectors
  int accumulators;      ///< registers that hold sums
  int64_t row, scoreRow; ///< of the scratch: channels and tokens, padded
};

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_ATTENTION_H
