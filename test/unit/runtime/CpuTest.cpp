// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/runtime/cpu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace vitc::rt;

TEST(Cpu, BaselineIsAlwaysThere) { EXPECT_TRUE(cpuSupports(cpu::Baseline)); }

TEST(Cpu, NeedsAllOfASet) {
  EXPECT_FALSE(cpuSupports(cpu::Avx2 | cpu::ArmDotprod));
  EXPECT_EQ(cpuSupports(cpu::Avx2 | cpu::Avx512f),
            cpuSupports(cpu::Avx2) && cpuSupports(cpu::Avx512f));
  EXPECT_EQ(cpuSupports(cpu::Avx512f | cpu::SeparateAdders),
            cpuSupports(cpu::Avx512f) && cpuSupports(cpu::SeparateAdders));
  EXPECT_EQ(cpuSupports(cpu::AvxVnni | cpu::Avx512Bf16 | cpu::Fma),
            cpuSupports(cpu::AvxVnni) && cpuSupports(cpu::Avx512Bf16) &&
                cpuSupports(cpu::Fma));
}

TEST(Cpu, RefusesFeaturesThatNobodyKnows) {
  EXPECT_FALSE(cpuSupports(CpuFeatures(1) << cpu::count));
}

/// What the kernel found, in its own words.
static std::set<std::string> wordsOfCpuInfo() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> words;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0 ||
        line.rfind("vendor_id", 0) == 0) {
      std::istringstream stream(line);
      for (std::string word; stream >> word;)
        words.insert(word);
    }
  return words;
}

TEST(Cpu, AgreesWithTheKernel) {
  const std::set<std::string> words = wordsOfCpuInfo();
  ASSERT_FALSE(words.empty()) << "/proc/cpuinfo has no flags";
#if defined(__x86_64__)
#define VITC_X86_FEATURE(Id, Name, LinuxName, ...)                             \
  EXPECT_EQ(cpuSupports(cpu::Id), words.count(LinuxName) == 1) << Name;
#define VITC_X86_VENDOR(Id, Name, Serves, GccName, Signature)                  \
  EXPECT_EQ(cpuSupports(cpu::Id), words.count(Signature) == 1) << Name;
#define VITC_ARM_FEATURE(Id, Name, ...)                                        \
  EXPECT_FALSE(cpuSupports(cpu::Id)) << Name;
#else
#define VITC_X86_FEATURE(Id, Name, ...)                                        \
  EXPECT_FALSE(cpuSupports(cpu::Id)) << Name;
#define VITC_X86_VENDOR(Id, Name, ...)                                         \
  EXPECT_FALSE(cpuSupports(cpu::Id)) << Name;
#define VITC_ARM_FEATURE(Id, Name, LinuxName, ...)                             \
  EXPECT_EQ(cpuSupports(cpu::Id), words.count(LinuxName) == 1) << Name;
#endif
#include "vitc/runtime/cpu_features.def"
}

#if defined(__x86_64__)

// The compiler's own check, which knows about the operating system too.
TEST(Cpu, AgreesWithTheCompilersCheck) {
  __builtin_cpu_init();
#define VITC_X86_FEATURE(Id, Name, ...)                                        \
  EXPECT_EQ(cpuSupports(cpu::Id), __builtin_cpu_supports(Name) != 0) << Name;
#define VITC_X86_VENDOR(Id, Name, Serves, GccName, Signature)                  \
  EXPECT_EQ(cpuSupports(cpu::Id), __builtin_cpu_is(GccName) != 0) << Name;
#include "vitc/runtime/cpu_features.def"
}

#endif
