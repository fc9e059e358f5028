// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Configs of every family, from JSON to a model in the vit dialect
/// (ImportInput.h).
#include "ImportInput.h"

using namespace vitc;
using namespace vitc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool isInput;
  auto model = importInput(textOf(data, size), importContext(), isInput);
  if (model)
    (void)countParameters(*model->module);
  return isInput ? 0 : -1;
}
