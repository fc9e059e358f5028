// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/engine.h"

#include <gtest/gtest.h>

using namespace vitc::rt;

TEST(Cpu, BaselineIsAlwaysThere) { EXPECT_TRUE(cpuSupports(Cpu::Baseline)); }

TEST(Cpu, NewerImpliesOlder) {
  EXPECT_LE(cpuSupports(Cpu::Avx512), cpuSupports(Cpu::Avx2));
  EXPECT_LE(cpuSupports(Cpu::Avx512Vnni), cpuSupports(Cpu::Avx512));
  EXPECT_LE(cpuSupports(Cpu::Zen4), cpuSupports(Cpu::Avx512));
}

#if defined(__x86_64__)

// The compiler's own check, which knows about the operating system too.
TEST(Cpu, AgreesWithTheCompilersCheck) {
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  EXPECT_EQ(cpuSupports(Cpu::Avx2), avx2);
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512cd");
  EXPECT_EQ(cpuSupports(Cpu::Avx512), avx512);
  EXPECT_EQ(cpuSupports(Cpu::Avx512Vnni),
            avx512 && __builtin_cpu_supports("avx512vnni"));
  EXPECT_EQ(cpuSupports(Cpu::Zen4), avx512 && __builtin_cpu_is("amd"));
}

TEST(Cpu, HasNoArmInstructions) { EXPECT_FALSE(cpuSupports(Cpu::ArmDotprod)); }

#else

TEST(Cpu, HasNoX86Instructions) {
  EXPECT_FALSE(cpuSupports(Cpu::Avx2));
  EXPECT_FALSE(cpuSupports(Cpu::Avx512));
  EXPECT_FALSE(cpuSupports(Cpu::Avx512Vnni));
  EXPECT_FALSE(cpuSupports(Cpu::Zen4));
}

#endif
