// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The weights file: a 64-byte head, then the data, each tensor aligned to 64
/// bytes.
///
/// The compiler writes it (with code of its own: see docs/WeightsFile.md), the
/// library maps it read-only. One mapping serves every context of the process.
#ifndef VITC_RUNTIME_WEIGHTS_H
#define VITC_RUNTIME_WEIGHTS_H

#include "vitc/runtime/model.h"

#include <cstddef>
#include <cstdint>

namespace vitc::rt {

/// All numbers little-endian.
struct WeightsHeader {
  char magic[8];        ///< "VITCWGT1"
  uint64_t bytes;       ///< of the data after the head
  uint64_t identity;    ///< of the library that the data belongs to
  uint64_t checksum;    ///< of the data
  uint64_t reserved[4]; ///< zeros
};
static_assert(sizeof(WeightsHeader) == 64);

/// Eight lanes of 64-bit words, lane i taking words i, i+8, i+16 …: lane =
/// (lane ^ word) * 0x9E3779B97F4A7C15, each lane starting at its index plus 1;
/// a last partial block is filled up with zeros. The lanes, then the length in
/// bytes, are folded the same way into one word that starts at 0. Every single
/// changed byte changes the result (each step is a bijection), and it runs at
/// the speed of memory.
uint64_t checksum(const void *data, size_t bytes);

struct Weights; ///< one mapped file

/// Opens `path`, or when that is null looks at `embedded` (a whole file,
/// 64-byte aligned), and checks it: the data must have `bytes` bytes and belong
/// to `identity`. A second call with the same file shares the first mapping,
/// and its check of the data. On success `*weights` is to be given back with
/// releaseWeights; else it is null.
vitc_status acquireWeights(const char *path, const unsigned char *embedded,
                           uint64_t bytes, uint64_t identity,
                           Weights **weights);
/// The data after the head, aligned to 64 bytes; valid until the last release.
const unsigned char *weightsData(const Weights *weights);
void releaseWeights(Weights *weights);

} // namespace vitc::rt

#endif // VITC_RUNTIME_WEIGHTS_H
