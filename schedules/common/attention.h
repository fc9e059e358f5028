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

/// An attention, with names for what the kernels' own queries, maps and biases
/// would hide.
struct AttentionShape : families::AttentionShape {
  explicit AttentionShape(const families::AttentionShape &spec)
      : families::AttentionShape(spec), queryCount(queries),
        withMaps(probabilities), withBias(bias) {}

  int queryCount;
  bool withMaps, withBias;
};

/// Its schedule for a CPU: a task is a block of queries of one head, whose
/// scores stand on the stack; or where heads are small, several blocks one
/// after the other.
struct AttentionSchedule {
  /// `weightTiles` is how many tiles' weights stand on the stack beside the
  /// scores, and `otherBytes` what else does; `unroll` has the values that
  /// unroll_k may have.
  AttentionSchedule(const families::AttentionShape &spec,
                    const Machine &machine, Schedule &schedule, int weightTiles,
                    int otherBytes, const Values &unroll);
  AttentionSchedule() = default;

  int panel, panels; ///< columns of a panel of keys, panels that hold them
  int keys;          ///< columns that are computed
  int tileRows, block, unrollK;
  int together; ///< blocks that share a task
  bool parallel;
};

/// What both backends make of an attention of one query per image.
struct SingleQueryShape : families::SingleQueryAttentionShape {
  SingleQueryShape(const families::SingleQueryAttentionShape &spec,
                   const Machine &machine);

  /// The parameter `tile_h`, then `parallel`.
  int readTileHeads(Schedule &schedule) const;
  bool readParallel(Schedule &schedule, int tileHeads) const;

  families::WeightFormat storedAs; ///< key and value
  int panels;
  int readable;     ///< columns of x and key that may be read
  int scores;       ///< tokens rounded up to whole vectors
  int accumulators; ///< registers that hold sums
};

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_ATTENTION_H
