// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What vitc asks a backend for: docs/KernelProtocol.md.
#ifndef VITC_BACKEND_KERNELREQUEST_H
#define VITC_BACKEND_KERNELREQUEST_H

#include "llvm/Support/JSON.h"

#include <string>

namespace vitc {

struct KernelRequest {
  std::string name;   ///< the symbol
  std::string target; ///< the backends' name of it
  std::string family;
  llvm::json::Object spec;
  llvm::json::Object schedule; ///< what is left open is the backend's choice
  std::string backend;         ///< who compiles it; no part of the document
  std::string kernel;          ///< the kernel.spec that it is for

  llvm::json::Object toDocument() const;
  /// The document on one line, without a line feed: equal for equal requests.
  std::string toText() const;
};

} // namespace vitc

#endif // VITC_BACKEND_KERNELREQUEST_H
