// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Whether a model's files are those that a library was compiled from.
#ifndef VITC_TOOLS_LIBRARY_MODELFILES_H
#define VITC_TOOLS_LIBRARY_MODELFILES_H

#include "Library.h"

#include "vitc/Frontend/Import.h"

namespace vitc::tool {

/// Compares the hashes of the opened model's files with the manifest's. Other
/// weights are a user error, since every output would differ; another config
/// may only be written differently and is a warning.
llvm::Expected<std::vector<std::string>>
checkModelFiles(const ModelSource &source, const Manifest &manifest);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_MODELFILES_H
