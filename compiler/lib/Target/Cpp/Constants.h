// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What ID.h repeats of the runtime's vitc/runtime/model.h under the model's
/// own name. Generated code asserts that the two agree.
#ifndef VITC_LIB_TARGET_CPP_CONSTANTS_H
#define VITC_LIB_TARGET_CPP_CONSTANTS_H

#include "Text.h"

namespace vitc {

/// ID_<name> in the header, VITC_<name> in the runtime.
struct Constant {
  llvm::StringLiteral name;
  int number;
  llvm::StringLiteral doc; ///< may be empty
};

/// A struct ID_<name> in the header, vitc_<name>_v2 in the runtime.
struct RepeatedStruct {
  llvm::StringLiteral name;
  llvm::ArrayRef<llvm::StringLiteral> fields;
};

/// Of a library for a CPU, or for a device, which has more.
llvm::ArrayRef<Constant> statuses(const LibraryDescription &library);
llvm::ArrayRef<Constant> pixelFormats();

/// `  ID_OK = 0,\n  …`: the body of an enum.
std::string enumBody(const LibraryDescription &library,
                     llvm::ArrayRef<Constant> constants);
/// A static_assert for each constant, and each field of a struct, that is in
/// the header and in the runtime.
std::string repetitionAsserts(const LibraryDescription &library);

} // namespace vitc

#endif // VITC_LIB_TARGET_CPP_CONSTANTS_H
