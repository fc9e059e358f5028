// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The targets that users name, and what the compiler makes of several.
#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace vitc;

static Target find(llvm::StringRef names) {
  llvm::Expected<Target> target = findTarget(names);
  if (target)
    return *target;
  ADD_FAILURE() << llvm::toString(target.takeError());
  return targets().front();
}

static std::vector<std::string> levelsOf(const Target &target) {
  std::vector<std::string> names;
  for (const Level &level : target.levels)
    names.emplace_back(level.name);
  return names;
}

/// The level of the target whose float32 kernels each level runs.
static std::vector<std::string> kernelsOf(const Target &target) {
  std::vector<std::string> names;
  for (const Level &level : target.levels)
    names.emplace_back(target.kernelsFor(level, ElementType::F32).name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Targets, PanelsAreWholeTilesOfEveryLevel) {
  for (const Target &target : targets())
    for (const Level &level : target.levels)
      EXPECT_EQ(target.panel % level.tile.columns, 0) << target.name;
  EXPECT_EQ(find("x86-64-avx2").panel, 16);
  EXPECT_EQ(find("x86-64").panel, 32);
  EXPECT_EQ(find("arm-64").panel, 16);
  EXPECT_EQ(find("cuda-sm80").panel, 64);
  EXPECT_EQ(find("x86-64-avx2+x86-64-avx512").panel, 32);
}

TEST(Targets, KernelsAreInALibraryOnce) {
  Target three = find("x86-64-avx2+x86-64-avx512+x86-64-avx512-vnni");
  EXPECT_EQ(levelsOf(three), Names({"avx2", "avx512", "avx512_vnni"}));
  EXPECT_EQ(kernelsOf(three), Names({"avx2", "avx512", "avx512"}));
  EXPECT_EQ(kernelsOf(find("arm-64")), Names({"neon", "neon"}));
  // Without the level that it would share them with, a level has its own.
  EXPECT_EQ(kernelsOf(find("x86-64-avx512-vnni")), Names({"avx512_vnni"}));
  EXPECT_EQ(kernelsOf(find("arm-64-dotprod")), Names({"dotprod"}));
}

TEST(Targets, SharedKernelsHaveOneTarget) {
  for (const Target &target : targets())
    for (const Level &level : target.levels)
      EXPECT_EQ(kernelTarget(level, ElementType::F32),
                kernelTarget(target.kernelsFor(level, ElementType::F32),
                             ElementType::F32))
          << target.name;
  EXPECT_EQ(kernelTarget(targetinfo::avx512Vnni, ElementType::F32),
            "x86-64-avx512");
}

TEST(Targets, JoinTheirLevelsInOrder) {
  Target both = find("x86-64-zen4+x86-64-avx2+x86-64-avx2");
  EXPECT_EQ(both.name, "x86-64-zen4+x86-64-avx2");
  EXPECT_EQ(levelsOf(both), Names({"avx2", "zen4"}));
}

TEST(Targets, DevicesAreNamedAsTheRuntimesFolders) {
  EXPECT_EQ(find("cuda-sm90").device, "cuda");
  EXPECT_EQ(find("cuda-sm90").deviceLevel, 90);
  EXPECT_EQ(find("opencl").device, "opencl");
  EXPECT_EQ(find("opencl").deviceLevel, 0);
  EXPECT_EQ(find("x86-64").device, "");
}

TEST(Targets, LibrariesAskForTheLevelsFeatures) {
  EXPECT_EQ(runtimeFeatures(targetinfo::avx2),
            "vitc::rt::cpu::Fma | vitc::rt::cpu::Avx | vitc::rt::cpu::F16c | "
            "vitc::rt::cpu::Avx2");
  EXPECT_EQ(runtimeFeatures(targetinfo::neon), "vitc::rt::cpu::Baseline");
}

TEST(Targets, HostRunsItsOwnLevel) {
  llvm::Expected<const Target *> host = hostTarget();
  if (!host)
    GTEST_SKIP() << llvm::toString(host.takeError());
  EXPECT_TRUE(runsHere((*host)->levels.front()));
  EXPECT_EQ(find("host").name, (*host)->name);
  for (const Target &target : targets()) {
    bool runs = llvm::any_of(target.levels, runsHere);
    EXPECT_TRUE(isHost(*target.architecture) || !runs) << target.name;
  }
}
