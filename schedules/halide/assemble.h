// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From assembly text to an object, with the machine's own assembler.
#ifndef VITC_SCHEDULES_HALIDE_ASSEMBLE_H
#define VITC_SCHEDULES_HALIDE_ASSEMBLE_H

#include "Halide.h"

#include <string>

namespace vitc::halide {

/// Puts instructions that Halide cannot ask for in the place of others.
///
/// Every prefetch becomes one into the second-level cache. Halide's are for
/// data that are used once (x86: prefetchnta, ARM: prfm pldl1strm), which
/// Intel's cores bring to the first level and past the second; a panel of
/// weights is larger than the first level and would be gone before it is used.
/// Zen 3 treats both alike.
///
/// On request, a float is broadcast as an integer is, by vpbroadcastd. It is
/// the same load; but on Zen 4 vbroadcastss to 512 bits takes a slot of the
/// pipes that add and multiply as well: 16 of them beside 16 multiply-adds and
/// 16 additions take 23 cycles, 16 vpbroadcastd 16 cycles.
void chooseInstructions(const std::string &assemblyPath,
                        bool integerBroadcasts);

/// Assembles a file for `target` with the C++ compiler that vitc itself needs:
/// $CXX, c++, g++ or clang++, the first there is; for another architecture than
/// this machine's, $CXX or the distribution's cross compiler.
void assemble(const std::string &assemblyPath, const std::string &objectPath,
              const Halide::Target &target);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_ASSEMBLE_H
