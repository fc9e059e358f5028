// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Templates with @WORDS@, for the generated texts.
#ifndef VITC_LIB_TARGET_CPP_TEXT_H
#define VITC_LIB_TARGET_CPP_TEXT_H

#include "vitc/Target/Cpp/Library.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace vitc {

using Words = std::map<std::string, std::string>;

/// The words that every text shares: ID, UPPER, MODEL, TARGET, VERSION, sizes.
Words wordsOf(const LibraryDescription &library);
/// `text` with every @WORD@ replaced; an unknown word is a bug.
std::string fill(llvm::StringRef text, const Words &words);

std::string upper(llvm::StringRef text);
std::string shapeText(llvm::ArrayRef<int64_t> shape); ///< "[1, 1000]"

} // namespace vitc

#endif // VITC_LIB_TARGET_CPP_TEXT_H
