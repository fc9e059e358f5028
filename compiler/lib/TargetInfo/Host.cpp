// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What this machine is.
#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace vitc;
using targetinfo::Features;

bool vitc::isHost(const Architecture &architecture) {
  return llvm::Triple(llvm::sys::getProcessTriple()).getArch() ==
         llvm::Triple(llvm::StringRef(architecture.triple)).getArch();
}

/// The features of this machine's CPU.
static Features hostFeatures() {
  llvm::StringMap<bool> names = llvm::sys::getHostCPUFeatures();
  Features features;
  for (const targetinfo::FeatureInfo &info : targetinfo::allFeatures)
    if (names.lookup(info.name))
      features = features | info.set;
#if defined(__x86_64__)
#define VITC_X86_VENDOR(Id, Name, Serves, GccName, Signature)                  \
  if (__builtin_cpu_is(GccName))                                               \
    features = features | targetinfo::feature::Id;
#include "../../../runtime/include/vitc/runtime/cpu_features.def"
#endif
  return features;
}

bool vitc::runsHere(const Level &level) {
  return !level.isGpu() && isHost(*level.architecture) &&
         hostFeatures().contains(level.features);
}

llvm::Expected<const Target *> vitc::hostTarget() {
  const Target *host = nullptr;
  for (auto [target, named] :
       llvm::zip_equal(targets(), targetinfo::namedTargets))
    if (named.isForHost && runsHere(target.levels.front()))
      host = &target;
  if (host)
    return host;
  return userError("--target host: this machine's CPU (" +
                   llvm::sys::getHostCPUName() +
                   ") has no AVX2 and FMA, which the smallest target needs; "
                   "name a target to compile for another machine");
}
