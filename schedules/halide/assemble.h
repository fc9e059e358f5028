/// From assembly text to an object, with the machine's own assembler.
#ifndef VITC_SCHEDULES_HALIDE_ASSEMBLE_H
#define VITC_SCHEDULES_HALIDE_ASSEMBLE_H

#include "Halide.h"

#include <string>

namespace vitc::halide {

/// Makes every prefetch of the file one into the second-level cache. Halide
/// can only ask for data that are used once (x86: prefetchnta, ARM: prfm
/// pldl1strm), which Intel's cores bring to the first level and past the
/// second; a panel of weights is larger than the first level and would be gone
/// before it is used. Zen 3 treats both alike.
void prefetchToSecondLevel(const std::string &assemblyPath);

/// Assembles a file for `target` with the C++ compiler that vitc itself needs:
/// $CXX, c++, g++ or clang++, the first there is; for another architecture than
/// this machine's, $CXX or the distribution's cross compiler.
void assemble(const std::string &assemblyPath, const std::string &objectPath,
              const Halide::Target &target);

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_ASSEMBLE_H
