// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The description in schedules/targets: what a level must not lack, and which
/// levels share kernels. Headers assert the former for every level; here it is
/// shown that they would notice.
#include "targets/targets.h"

#include <gtest/gtest.h>

using namespace vitc::targetinfo;

TEST(Levels, WhatTheyLackIsNoticed) {
  Level level = avx512;
  level.kernelTarget = "";
  EXPECT_FALSE(isNamed(level));

  level = avx512;
  level.features = level.features | feature::ArmDotprod;
  EXPECT_FALSE(hasFeaturesOfItsOwn(level));

  level = avx512;
  level.vectorBytes = 0;
  EXPECT_FALSE(hasTile(level));
  level = avx512;
  level.tile = {16, 32}; // 32 accumulators leave no register for the weights
  EXPECT_FALSE(hasTile(level));
  level.tile = {6, 24}; // half a vector
  EXPECT_FALSE(hasTile(level));

  level = avx512;
  level.halide = "";
  EXPECT_FALSE(hasBackends(level));
  level = avx512;
  level.llvmCpu = "";
  EXPECT_FALSE(hasBackends(level));
  EXPECT_TRUE(hasBackends(sm80)); // LLVM's is for CPUs

  Level fresh;
  EXPECT_FALSE(hasPeakLoop(fresh));

  level = avx512;
  level.blocking.depth = 512;
  EXPECT_FALSE(areScheduledAlike(level, avx512));
}

TEST(Levels, FeaturesDecideWhoSharesKernels) {
  EXPECT_EQ(&kernelsFor(avx512Vnni, ElementType::F32), &avx512);
  EXPECT_EQ(&kernelsFor(dotprod, ElementType::F32), &neon);
  for (const Level *level :
       {&avx2, &avx512, &zen4, &neon, &sm80, &sm86, &sm90, &openCl})
    EXPECT_EQ(&kernelsFor(*level, ElementType::F32), level) << level->name;

  // Products of 8-bit integers are what the others' features are for.
  EXPECT_EQ(&kernelsFor(avx512Vnni, ElementType::I8), &avx512Vnni);
  EXPECT_EQ(&kernelsFor(dotprod, ElementType::I8), &dotprod);
  // Adders beside multipliers serve floats.
  EXPECT_EQ(&kernelsFor(zen4, ElementType::I8), &avx512Vnni);
}

TEST(Levels, VnniWithoutAvx512NeedsNothingNew) {
  Level level = avx2;
  level.name = "avx_vnni";
  level.features = avx2.features | feature::AvxVnni;
  EXPECT_TRUE(shareKernels(level, avx2, ElementType::F32));
  EXPECT_FALSE(shareKernels(level, avx2, ElementType::I8));
  EXPECT_FALSE(shareKernels(level, avx512Vnni, ElementType::I8));
}

TEST(Levels, LanesFollowTheElementType) {
  EXPECT_EQ(avx2.lanes(ElementType::F32), 8);
  EXPECT_EQ(avx512.lanes(ElementType::Bf16), 32);
  EXPECT_EQ(neon.lanes(ElementType::I8), 16);
}

TEST(Levels, AreFoundByTheirKernelTarget) {
  for (const Level *level : levels)
    EXPECT_EQ(findLevel(level->kernelTarget), level);
  EXPECT_EQ(findLevel("x86-64"), nullptr); // a target of several levels
}

TEST(Levels, SeparateAddersAreAFeature) {
  EXPECT_TRUE(zen4.hasSeparateAdders());
  EXPECT_FALSE(avx512.hasSeparateAdders());
}
