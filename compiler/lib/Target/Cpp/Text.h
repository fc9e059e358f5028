// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Templates with @WORDS@, for the generated texts.
#ifndef VITC_LIB_TARGET_CPP_TEXT_H
#define VITC_LIB_TARGET_CPP_TEXT_H

#include "vitc/Support/Escape.h"
#include "vitc/Target/Cpp/Library.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace vitc {

using Words = std::map<std::string, std::string>;

/// What a text is written in: how foreign words are escaped.
enum class Language { Cpp, CMake, PkgConfig };

/// The words that every text shares: ID, UPPER, MODEL, TARGET, VERSION, sizes.
/// MODEL alone is foreign, and only for comments and descriptions; all others
/// are vitc's own or identifiers (see checkNames).
Words wordsOf(const LibraryDescription &library, Language language);
/// `text` with every @WORD@ replaced; an unknown word is a bug.
std::string fill(llvm::StringRef text, const Words &words);

std::string upper(llvm::StringRef text);
std::string shapeText(llvm::ArrayRef<int64_t> shape); ///< "[1, 1000]"

} // namespace vitc

#endif // VITC_LIB_TARGET_CPP_TEXT_H
