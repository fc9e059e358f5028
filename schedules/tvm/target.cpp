// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.h"

#include "common/spec.h"

#include "targets/levels.h"

#include <sstream>

namespace vitc::tvm_backend {

Node tvmTarget(const std::string &name) {
  const targetinfo::Level *level = targetinfo::findLevel(name);
  if (!level || level->llvmCpu.empty())
    throw schedules::SpecError("target: '" + name + "' is not one of TVM's");
  nlohmann::ordered_json target = {{"kind", "llvm"},
                                   {"mtriple", level->architecture->triple},
                                   {"mcpu", level->llvmCpu}};
  std::istringstream features{std::string(level->llvmFeatures)};
  for (std::string feature; std::getline(features, feature, ',');)
    target["mattr"].push_back(feature);
  Node made = make("target.Target", ffi::String(target.dump()));
  return make("target.WithHost", made, made);
}

} // namespace vitc::tvm_backend
