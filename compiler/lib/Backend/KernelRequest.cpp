// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/KernelRequest.h"

#include "llvm/Support/FormatVariadic.h"

using namespace vitc;
namespace json = llvm::json;

json::Object KernelRequest::toDocument() const {
  json::Object document{{"protocol", 1},
                        {"name", name},
                        {"target", target},
                        {"family", family},
                        {"spec", json::Object(spec)}};
  if (!schedule.empty())
    document["schedule"] = json::Object(schedule);
  return document;
}

std::string KernelRequest::toText() const {
  return llvm::formatv("{0}", json::Value(toDocument())).str();
}
