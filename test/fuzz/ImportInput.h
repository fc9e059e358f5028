// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Inputs of the targets that import models: JSON objects with the fields
///   config      config.json
///   processor   preprocessor_config.json, if there is one
///   weights     the golden model whose tensors there are; random ones if
///   absent image_size  as --image-size says, if it does outputs     as
///   --output says, if it does
/// Weights are never read: what they hold does not matter to an import.
#ifndef VITC_TEST_FUZZ_IMPORTINPUT_H
#define VITC_TEST_FUZZ_IMPORTINPUT_H

#include "Readers.h"

#include "vitc/Frontend/Import.h"

#include "mlir/IR/MLIRContext.h"

namespace vitc::fuzz {

/// The context that models are imported into. Types and attributes live as long
/// as it does, so it is made anew from time to time.
mlir::MLIRContext &importContext();

/// The model; nothing if the input is not one (`isInput` is then false) or if
/// the import has refused it. A model that does not verify is a fault.
std::optional<ImportedModel>
importInput(const std::string &text, mlir::MLIRContext &context, bool &isInput);

} // namespace vitc::fuzz

#endif // VITC_TEST_FUZZ_IMPORTINPUT_H
