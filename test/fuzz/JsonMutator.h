// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Changes of JSON that leave it JSON: values, types, keys and lists, not
/// brackets. LLVM is not used: one of the targets holds Halide's.
#ifndef VITC_TEST_FUZZ_JSONMUTATOR_H
#define VITC_TEST_FUZZ_JSONMUTATOR_H

#include <string>

namespace vitc::fuzz {

/// The text after one to four changes of its tree; text that is not JSON comes
/// back as it is.
std::string mutateJson(const std::string &text, unsigned seed);

/// The first text with a part of the second.
std::string crossJson(const std::string &first, const std::string &second,
                      unsigned seed);

} // namespace vitc::fuzz

#endif // VITC_TEST_FUZZ_JSONMUTATOR_H
