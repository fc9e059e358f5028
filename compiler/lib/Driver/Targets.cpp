#include "vitc/Driver/Targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace vitc;

static const Architecture x86 = {"x86_64", "x86_64-linux-gnu",
                                 "g++-x86-64-linux-gnu", "qemu-x86_64",
                                 "qemu-user"};
static const Architecture arm = {"aarch64", "aarch64-linux-gnu",
                                 "g++-aarch64-linux-gnu", "qemu-aarch64",
                                 "qemu-user"};

static constexpr Level x86Levels[] = {
    {"avx2", "x86-64-avx2", "Avx2", "avx2"},
    {"avx512", "x86-64-avx512", "Avx512", "avx512"}};

// Every 64-bit ARM has NEON. Dot products are of 8-bit integers: float32
// kernels come out the same with and without them, byte for byte.
static constexpr Level armLevels[] = {
    {"neon", "arm-64", "Baseline", "neon"},
    {"dotprod", "arm-64-dotprod", "ArmDotprod", "neon"}};
static constexpr Level armDotprodLevels[] = {
    {"dotprod", "arm-64-dotprod", "ArmDotprod", "dotprod"}};

static constexpr Level gpuLevels[] = {
    {"sm80", "cuda-sm80", "Baseline", "sm80"},
    {"sm86", "cuda-sm86", "Baseline", "sm86"},
    {"sm90", "cuda-sm90", "Baseline", "sm90"},
    {"opencl", "opencl", "Baseline", "opencl"}};

/// Columns of a block of threads on a GPU.
static constexpr int64_t gpuPanel = 64;

static const Target known[] = {
    // Two vectors of 16 floats or four of 8, so that both levels read the same
    // panels.
    {"x86-64",
     "any x86-64 with AVX2: AVX2 and AVX-512 code in one library, chosen when "
     "it is loaded",
     &x86, x86Levels, 32},
    // Two vectors of 8 floats: the 6x16 tile fills 12 of 16 registers.
    {"x86-64-avx2", "x86-64 with AVX2 and FMA (Haswell, Zen and later)", &x86,
     llvm::ArrayRef(x86Levels, 1), 16},
    // Two vectors of 16 floats: the 11x32 tile fills 22 of 32 registers.
    {"x86-64-avx512",
     "x86-64 with AVX-512 F, BW, CD, DQ and VL (Skylake-X, Zen 4 and later)",
     &x86, llvm::ArrayRef(x86Levels).drop_front(), 32},
    // Four vectors of 4 floats: the 6x16 tile fills 24 of 32 registers.
    {"arm-64",
     "any 64-bit ARM: NEON and dot-product code in one library, chosen when it "
     "is loaded",
     &arm, armLevels, 16},
    {"arm-64-dotprod",
     "64-bit ARM with dot products (Cortex-A55 and -A76, Neoverse, Apple M1 "
     "and later)",
     &arm, armDotprodLevels, 16},
    {"cuda-sm80", "NVIDIA GPUs of compute capability 8.0 and later (A100, A30)",
     &x86, llvm::ArrayRef(gpuLevels[0]), gpuPanel, "cuda", 80},
    {"cuda-sm86",
     "NVIDIA GPUs of compute capability 8.6 and later (A10, RTX 30, Jetson "
     "Orin is 8.7)",
     &x86, llvm::ArrayRef(gpuLevels[1]), gpuPanel, "cuda", 86},
    {"cuda-sm90", "NVIDIA GPUs of compute capability 9.0 and later (H100)",
     &x86, llvm::ArrayRef(gpuLevels[2]), gpuPanel, "cuda", 90},
    {"opencl", "the first OpenCL 1.2 device, GPU or not", &x86,
     llvm::ArrayRef(gpuLevels[3]), gpuPanel, "opencl"},
};

bool Architecture::isHost() const {
  return llvm::Triple(llvm::sys::getProcessTriple()).getArch() ==
         llvm::Triple(triple).getArch();
}

llvm::ArrayRef<Target> vitc::targets() { return known; }

llvm::Expected<const Target *> vitc::hostTarget() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(
        names, [&](llvm::StringRef name) { return features.lookup(name); });
  };
  if (arm.isHost())
    return findTarget(hasAll({"dotprod"}) ? "arm-64-dotprod" : "arm-64");
  if (hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return findTarget("x86-64-avx512");
  if (hasAll({"avx2", "fma", "f16c"}))
    return findTarget("x86-64-avx2");
  return userError("--target host: this machine's CPU (" +
                   llvm::sys::getHostCPUName() +
                   ") has no AVX2 and FMA, which the smallest target needs; "
                   "name a target to compile for another machine");
}

llvm::Expected<const Target *> vitc::findTarget(llvm::StringRef name) {
  if (name == "host")
    return hostTarget();
  std::vector<llvm::StringRef> names = {"host"};
  for (const Target &target : known) {
    if (target.name == name)
      return &target;
    names.push_back(target.name);
  }
  return userError("--target " + name +
                   ": no such target in this build; known are " +
                   llvm::join(names, ", "));
}
