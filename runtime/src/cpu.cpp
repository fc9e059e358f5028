// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/engine.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace vitc::rt {

#if defined(__x86_64__) || defined(__i386__)

namespace {

/// The feature words that the checks below look at; zero where the CPU does not
/// know the leaf.
struct Features {
  bool amd = false; ///< who made it
  uint32_t leaf1C = 0, leaf7B = 0, leaf7C = 0;
  uint64_t savedByOs = 0; ///< XCR0: which registers survive a context switch
};

} // namespace

static Features readFeatures() {
  Features features;
  uint32_t a, b, c, d;
  if (__get_cpuid(0, &a, &b, &c, &d))
    features.amd = b == signature_AMD_ebx && c == signature_AMD_ecx &&
                   d == signature_AMD_edx;
  if (__get_cpuid(1, &a, &b, &c, &d))
    features.leaf1C = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    features.leaf7B = b;
    features.leaf7C = c;
  }
  if (features.leaf1C & bit_OSXSAVE) {
    // xgetbv, spelled so that no compiler flag is needed.
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    features.savedByOs = uint64_t(high) << 32 | low;
  }
  return features;
}

static bool hasAll(uint64_t word, uint64_t bits) {
  return (word & bits) == bits;
}

bool cpuSupports(Cpu cpu) {
  constexpr uint64_t ymmState = 0x06; // SSE and AVX halves
  constexpr uint64_t zmmState = 0xE6; // and masks, upper halves, registers 16+
  constexpr uint32_t avx2C = bit_FMA | bit_F16C | bit_AVX;
  constexpr uint32_t avx512B =
      bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL | bit_AVX512CD;
  if (cpu == Cpu::Baseline)
    return true;
  Features features = readFeatures();
  bool avx2 = hasAll(features.leaf1C, avx2C) &&
              hasAll(features.leaf7B, bit_AVX2) &&
              hasAll(features.savedByOs, ymmState);
  bool avx512 = avx2 && hasAll(features.leaf7B, avx512B) &&
                hasAll(features.savedByOs, zmmState);
  switch (cpu) {
  case Cpu::Avx2:
    return avx2;
  case Cpu::Avx512:
    return avx512;
  case Cpu::Avx512Vnni:
    return avx512 && hasAll(features.leaf7C, bit_AVX512VNNI);
  case Cpu::Zen4:
    return avx512 && features.amd;
  default:
    return false;
  }
}

#elif defined(__aarch64__)

/// The kernel says what it lets programs use; the number is part of its ABI.
bool cpuSupports(Cpu cpu) {
  constexpr unsigned long hwcapDotprod = 1ul << 20; // HWCAP_ASIMDDP
  if (cpu == Cpu::Baseline)
    return true;
  return cpu == Cpu::ArmDotprod && (getauxval(AT_HWCAP) & hwcapDotprod) != 0;
}

#else

bool cpuSupports(Cpu cpu) { return cpu == Cpu::Baseline; }

#endif

} // namespace vitc::rt
