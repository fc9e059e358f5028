// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A library for another architecture, run by tools/runner under an emulator.
#ifndef VITC_TOOLS_LIBRARY_EMULATEDLIBRARY_H
#define VITC_TOOLS_LIBRARY_EMULATEDLIBRARY_H

#include "Library.h"

namespace vitc::tool {

/// To be filled in by Library::open. It has one context at a time.
std::unique_ptr<Library> makeEmulatedLibrary(const Architecture &architecture);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_EMULATEDLIBRARY_H
