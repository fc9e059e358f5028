// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The floating-point environment of a thread: how results are rounded, whether
/// subnormal numbers count as zero, which exceptions trap, and which have been
/// raised. Kernels are compiled for the default one, in which a product need
/// not be: a program that is linked with -ffast-math, for one, starts with
/// subnormal numbers off.
#ifndef VITC_RUNTIME_FLOAT_ENVIRONMENT_H
#define VITC_RUNTIME_FLOAT_ENVIRONMENT_H

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace vitc::rt {

#if defined(__x86_64__)

/// MXCSR. The x87 unit has a control word of its own, but computes nothing
/// here: on x86-64 float and double are the business of SSE and AVX.
struct FloatEnvironment {
  uint32_t mxcsr = 0x1f80; ///< to nearest, all exceptions masked, no flags

  static FloatEnvironment ofThisThread() {
    FloatEnvironment environment;
    __asm__ volatile("stmxcsr %0" : "=m"(environment.mxcsr) : : "memory");
    return environment;
  }
  void use() const { __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory"); }
};

#elif defined(__aarch64__)

/// FPCR and FPSR.
struct FloatEnvironment {
  uint64_t control = 0, status = 0; ///< to nearest, no traps, no flags

  static FloatEnvironment ofThisThread() {
    FloatEnvironment environment;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(environment.control), "=r"(environment.status)
                     :
                     : "memory");
    return environment;
  }
  void use() const {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    // Writing it empties the pipeline of some cores.
    if (before != control)
      __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(status) : "memory");
  }
};

#else

struct FloatEnvironment {
  std::fenv_t state{};
  bool isDefault = true; ///< C has a pointer to that one, but not its value

  static FloatEnvironment ofThisThread() {
    FloatEnvironment environment;
    environment.isDefault = std::fegetenv(&environment.state) != 0;
    return environment;
  }
  void use() const { std::fesetenv(isDefault ? FE_DFL_ENV : &state); }
};

#endif

/// Puts this thread into another environment, the default one unless said, for
/// as long as it lives; then the thread has its own again, flags included. What
/// is computed in between must be behind a call that compilers do not look
/// into, since they move arithmetic freely.
class FloatGuard {
public:
  FloatGuard() : FloatGuard(FloatEnvironment()) {}
  explicit FloatGuard(const FloatEnvironment &wanted)
      : before(FloatEnvironment::ofThisThread()) {
    wanted.use();
  }
  ~FloatGuard() { before.use(); }
  FloatGuard(const FloatGuard &) = delete;
  FloatGuard &operator=(const FloatGuard &) = delete;

  /// What the thread had, and will have again.
  const FloatEnvironment &outside() const { return before; }

private:
  FloatEnvironment before;
};

} // namespace vitc::rt

#endif // VITC_RUNTIME_FLOAT_ENVIRONMENT_H
