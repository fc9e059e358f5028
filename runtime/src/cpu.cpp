// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <cstring>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace vitc::rt {

#if defined(__x86_64__) || defined(__i386__)

namespace {

enum Register { Eax, Ebx, Ecx, Edx };

/// Bits of XCR0: which registers survive a context switch.
constexpr uint64_t Ymm = 0x06; // SSE and AVX halves
constexpr uint64_t Zmm = 0xE6; // and masks, upper halves, registers 16+

/// A feature that CPUID has a bit for.
struct Bit {
  CpuFeatures feature;
  uint32_t leaf, subleaf;
  Register where;
  int number;
  uint64_t state;
};

/// A feature of all CPUs of one vendor.
struct Vendor {
  CpuFeatures feature;
  const char *signature;
};

constexpr Bit bits[] = {
#define VITC_X86_FEATURE(Id, Name, LinuxName, Serves, Leaf, Subleaf, Register, \
                         Bit, State)                                           \
  {cpu::Id, Leaf, Subleaf, Register, Bit, State},
#include "vitc/runtime/cpu_features.def"
};

constexpr Vendor vendors[] = {
#define VITC_X86_VENDOR(Id, Name, Serves, GccName, Signature)                  \
  {cpu::Id, Signature},
#include "vitc/runtime/cpu_features.def"
};

} // namespace

static uint64_t registersSavedByOs() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  // xgetbv, spelled so that no compiler flag is needed.
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

static bool isMadeBy(const char *signature) {
  uint32_t a, words[3]; // in the order of the characters
  return __get_cpuid(0, &a, &words[0], &words[2], &words[1]) &&
         std::memcmp(words, signature, sizeof(words)) == 0;
}

bool cpuSupports(CpuFeatures features) {
  CpuFeatures found = 0;
  const uint64_t saved = registersSavedByOs();
  const Bit *read = nullptr; // whose leaf `registers` has
  uint32_t registers[4] = {};
  for (const Bit &bit : bits) {
    if (!(features & bit.feature))
      continue;
    if (!read || read->leaf != bit.leaf || read->subleaf != bit.subleaf) {
      read = &bit;
      if (!__get_cpuid_count(bit.leaf, bit.subleaf, &registers[Eax],
                             &registers[Ebx], &registers[Ecx], &registers[Edx]))
        registers[Eax] = registers[Ebx] = registers[Ecx] = registers[Edx] = 0;
    }
    if (registers[bit.where] >> bit.number & 1 &&
        (saved & bit.state) == bit.state)
      found |= bit.feature;
  }
  for (const Vendor &vendor : vendors)
    if (features & vendor.feature && isMadeBy(vendor.signature))
      found |= vendor.feature;
  return found == features;
}

#elif defined(__aarch64__)

bool cpuSupports(CpuFeatures features) {
  CpuFeatures found = 0;
#define VITC_ARM_FEATURE(Id, Name, LinuxName, Serves, Vector, Bit)             \
  if (features & cpu::Id && getauxval(Vector) >> Bit & 1)                      \
    found |= cpu::Id;
#include "vitc/runtime/cpu_features.def"
  return found == features;
}

#else

bool cpuSupports(CpuFeatures features) { return features == cpu::Baseline; }

#endif

} // namespace vitc::rt
