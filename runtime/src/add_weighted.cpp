// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resize.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace vitc::rt {

#if defined(__SSE2__)

/// SSE2, which every x86-64 has, cannot multiply 32-bit numbers, but adds pairs
/// of 16-bit products. With d = sample - 128 and weight = high * 256 + low,
///   sample * weight = d * low + (d * 256) * high + 128 * weight
/// where all factors fit: |d * 256| <= 2^15, low < 2^8, and |high| < 2^15 as no
/// weight reaches 2^23. Eight samples take two such instructions. Returns how
/// many samples are done.
static size_t addVectors(const uint8_t *samples, int32_t weight, size_t count,
                         uint32_t *sums) {
  auto low = uint32_t(weight) & 0xff;
  auto high = uint32_t(weight >> 8);
  const __m128i factors = _mm_set1_epi32(int32_t(high << 16 | low));
  const __m128i offset = _mm_set1_epi32(weight * 128);
  const __m128i flipSign = _mm_set1_epi8(char(-128));
  size_t index = 0;
  for (; index + 8 <= count; index += 8) {
    __m128i bytes = _mm_xor_si128(
        _mm_loadl_epi64(reinterpret_cast<const __m128i *>(samples + index)),
        flipSign);
    __m128i times256 = _mm_unpacklo_epi8(_mm_setzero_si128(), bytes);
    __m128i plain = _mm_srai_epi16(times256, 8);
    auto *target = reinterpret_cast<__m128i *>(sums + index);
    auto add = [&](__m128i *sum, __m128i pairs) {
      __m128i product = _mm_add_epi32(_mm_madd_epi16(pairs, factors), offset);
      _mm_storeu_si128(sum, _mm_add_epi32(_mm_loadu_si128(sum), product));
    };
    add(target, _mm_unpacklo_epi16(plain, times256));
    add(target + 1, _mm_unpackhi_epi16(plain, times256));
  }
  return index;
}

#else

static size_t addVectors(const uint8_t *, int32_t, size_t, uint32_t *) {
  return 0;
}

#endif

void addWeighted(const uint8_t *samples, int32_t weight, size_t count,
                 uint32_t *sums) {
  for (size_t index = addVectors(samples, weight, count, sums); index < count;
       ++index)
    sums[index] += samples[index] * uint32_t(weight);
}

} // namespace vitc::rt
