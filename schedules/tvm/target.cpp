// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target.h"

#include "common/spec.h"

namespace vitc::tvm_backend {

namespace {
struct Entry {
  const char *name, *triple, *cpu;
  std::vector<const char *> features;
};
} // namespace

/// Processors that have what the machine promises and no more. Those with
/// AVX-512 are said to prefer 256 bits; these loops ask for what they want.
static const Entry entries[] = {
    {"x86-64-avx2", "x86_64-linux-gnu", "haswell", {}},
    {"x86-64-avx512",
     "x86_64-linux-gnu",
     "skylake-avx512",
     {"-prefer-256-bit"}},
    {"x86-64-zen4", "x86_64-linux-gnu", "skylake-avx512", {"-prefer-256-bit"}},
    {"arm-64", "aarch64-linux-gnu", "generic", {"+neon"}},
    {"arm-64-dotprod", "aarch64-linux-gnu", "generic", {"+neon", "+dotprod"}},
};

Node tvmTarget(const std::string &name) {
  for (const Entry &entry : entries) {
    if (name != entry.name)
      continue;
    nlohmann::ordered_json target = {
        {"kind", "llvm"}, {"mtriple", entry.triple}, {"mcpu", entry.cpu}};
    for (const char *feature : entry.features)
      target["mattr"].push_back(feature);
    Node made = make("target.Target", ffi::String(target.dump()));
    return make("target.WithHost", made, made);
  }
  throw schedules::SpecError("target: '" + name + "' is not one of TVM's");
}

} // namespace vitc::tvm_backend
