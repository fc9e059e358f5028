// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

// From the least demanding to the most. VNNI multiplies 8-bit integers, as
// ARM's dot products do: float32 kernels are the same with and without them.
static constexpr Level avx2 = {"avx2", "x86-64-avx2", "Avx2", "avx2"};
static constexpr Level avx512 = {"avx512", "x86-64-avx512", "Avx512", "avx512"};
static constexpr Level avx512Vnni = {"avx512_vnni", "x86-64-avx512",
                                     "Avx512Vnni", "avx512"};
// AMD's processors with AVX-512 have adders beside their multipliers.
static constexpr Level zen4 = {"zen4", "x86-64-zen4", "Zen4", "zen4",
                               /*addsAside=*/true};
// Every 64-bit ARM has NEON.
static constexpr Level neon = {"neon", "arm-64", "Baseline", "neon"};
static constexpr Level dotprod = {"dotprod", "arm-64-dotprod", "ArmDotprod",
                                  "neon"};
static constexpr const Level *cpuLevels[] = {&avx2, &avx512, &avx512Vnni,
                                             &zen4, &neon,   &dotprod};

static constexpr Level sm80 = {"sm80", "cuda-sm80", "Baseline", "sm80"};
static constexpr Level sm86 = {"sm86", "cuda-sm86", "Baseline", "sm86"};
static constexpr Level sm90 = {"sm90", "cuda-sm90", "Baseline", "sm90"};
static constexpr Level opencl = {"opencl", "opencl", "Baseline", "opencl"};

/// A level that is there without the one whose kernels it could run has its
/// own.
static std::vector<Level> standingAlone(std::vector<Level> levels) {
  for (Level &level : levels)
    if (llvm::none_of(levels, [&](const Level &other) {
          return other.name == level.floatKernels;
        }))
      level.floatKernels = level.name;
  return levels;
}

/// Columns of a block of threads on a GPU.
static constexpr int64_t gpuPanel = 64;

static const Target known[] = {
    // Two vectors of 16 floats or four of 8, so that all levels read the same
    // panels.
    {"x86-64",
     "any x86-64 with AVX2: AVX2, AVX-512, AVX-512 VNNI and Zen 4 code in one "
     "library, chosen when it is loaded",
     &x86,
     {avx2, avx512, avx512Vnni, zen4},
     32},
    // Two vectors of 8 floats: the 6x16 tile fills 12 of 16 registers.
    {"x86-64-avx2",
     "x86-64 with AVX2 and FMA (Haswell, Zen and later)",
     &x86,
     {avx2},
     16},
    // Two vectors of 16 floats: the 11x32 tile fills 22 of 32 registers.
    {"x86-64-avx512",
     "x86-64 with AVX-512 F, BW, CD, DQ and VL (Skylake-X, Zen 4 and later)",
     &x86,
     {avx512},
     32},
    {"x86-64-avx512-vnni",
     "x86-64 with AVX-512 and VNNI (Cascade Lake, Zen 4 and later)", &x86,
     standingAlone({avx512Vnni}), 32},
    {"x86-64-zen4",
     "AMD's x86-64 with AVX-512 (Zen 4 and later): paired products",
     &x86,
     {zen4},
     32},
    // Four vectors of 4 floats: the 6x16 tile fills 24 of 32 registers.
    {"arm-64",
     "any 64-bit ARM: NEON and dot-product code in one library, chosen when it "
     "is loaded",
     &arm,
     {neon, dotprod},
     16},
    {"arm-64-dotprod",
     "64-bit ARM with dot products (Cortex-A55 and -A76, Neoverse, Apple M1 "
     "and later)",
     &arm, standingAlone({dotprod}), 16},
    {"cuda-sm80",
     "NVIDIA GPUs of compute capability 8.0 and later (A100, A30)",
     &x86,
     {sm80},
     gpuPanel,
     "cuda",
     80},
    {"cuda-sm86",
     "NVIDIA GPUs of compute capability 8.6 and later (A10, RTX 30, Jetson "
     "Orin is 8.7)",
     &x86,
     {sm86},
     gpuPanel,
     "cuda",
     86},
    {"cuda-sm90",
     "NVIDIA GPUs of compute capability 9.0 and later (H100)",
     &x86,
     {sm90},
     gpuPanel,
     "cuda",
     90},
    {"opencl",
     "the first OpenCL 1.2 device, GPU or not",
     &x86,
     {opencl},
     gpuPanel,
     "opencl"},
};

bool Architecture::isHost() const {
  return llvm::Triple(llvm::sys::getProcessTriple()).getArch() ==
         llvm::Triple(triple).getArch();
}

llvm::ArrayRef<Target> vitc::targets() { return known; }

/// One of the table, or the host's.
static llvm::Expected<const Target *> findOne(llvm::StringRef name) {
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

static bool isMadeByAmd() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

// A CPU with VNNI is not asked for it: no kernel of today would gain.
llvm::Expected<const Target *> vitc::hostTarget() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto hasAll = [&](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(
        names, [&](llvm::StringRef name) { return features.lookup(name); });
  };
  if (arm.isHost())
    return findOne(hasAll({"dotprod"}) ? "arm-64-dotprod" : "arm-64");
  if (hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return findOne(isMadeByAmd() ? "x86-64-zen4" : "x86-64-avx512");
  if (hasAll({"avx2", "fma", "f16c"}))
    return findOne("x86-64-avx2");
  return userError("--target host: this machine's CPU (" +
                   llvm::sys::getHostCPUName() +
                   ") has no AVX2 and FMA, which the smallest target needs; "
                   "name a target to compile for another machine");
}

/// One library with the levels of both.
static llvm::Expected<Target> joined(const Target &left, const Target &right) {
  if (left.architecture != right.architecture || !left.device.empty() ||
      !right.device.empty())
    return userError("--target " + left.name + " and " + right.name +
                     " cannot share a library: that takes CPUs of one "
                     "architecture; compile once for each");
  auto has = [](const Target &target, const Level &level) {
    return llvm::any_of(target.levels, [&](const Level &other) {
      return other.name == level.name;
    });
  };
  Target both = left;
  both.name += "+" + right.name;
  both.summary += "; " + right.summary;
  both.panel = std::max(left.panel, right.panel);
  both.levels.clear();
  for (const Level *level : cpuLevels)
    if (has(left, *level) || has(right, *level))
      both.levels.push_back(*level);
  both.levels = standingAlone(std::move(both.levels));
  return both;
}

bool Target::gainsByPairs(bool fastMatmul) const {
  auto adds = [](const Level &level) { return level.addsAside; };
  return fastMatmul ? llvm::all_of(levels, adds) : llvm::any_of(levels, adds);
}

llvm::Expected<Target> vitc::findTarget(llvm::StringRef names) {
  llvm::SmallVector<llvm::StringRef> parts;
  names.split(parts, '+');
  llvm::SmallVector<const Target *> found;
  for (llvm::StringRef part : parts) {
    llvm::Expected<const Target *> one = findOne(part);
    if (!one)
      return one.takeError();
    if (!llvm::is_contained(found, *one))
      found.push_back(*one);
  }
  Target target = *found.front();
  for (const Target *other : llvm::ArrayRef(found).drop_front()) {
    llvm::Expected<Target> both = joined(target, *other);
    if (!both)
      return both.takeError();
    target = std::move(*both);
  }
  return target;
}
