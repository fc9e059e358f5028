// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The loop that measures the peak is that of the level which runs.
#include "common/Peak.h"

#include <gtest/gtest.h>

using namespace vitc;
using targetinfo::PeakLoop;
using tool::peakLoopFor;

TEST(Peak, IsThatOfTheMostDemandingLevelThatRunsHere) {
  for (const Target &target : targets()) {
    PeakLoop expected = PeakLoop::None;
    for (const Level &level : target.levels)
      if (runsHere(level))
        expected = level.peakLoop;
    EXPECT_EQ(peakLoopFor(target.name), expected) << target.name;
  }
}

TEST(Peak, OfSeveralTargetsIsThatOfTheLibrary) {
  EXPECT_EQ(peakLoopFor("x86-64+x86-64-avx2"), peakLoopFor("x86-64"));
  EXPECT_EQ(peakLoopFor("x86-64-avx2+x86-64-avx512"),
            runsHere(targetinfo::avx512) ? PeakLoop::Avx512
                                         : peakLoopFor("x86-64-avx2"));
}

TEST(Peak, OfUnknownTargetsIsNotTold) {
  EXPECT_EQ(peakLoopFor("x86-64-next"), PeakLoop::None);
  EXPECT_EQ(tool::PeakMeter("x86-64-next", 1).best(), 0);
}
