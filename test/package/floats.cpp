// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that computes in another floating-point environment than the
// default one gets the same bits, no SIGFPE, and keeps its environment. Usage:
// floats WEIGHTS RUNS THREADS; THREADS is the least number of threads that is
// tried, of up to 3.
#include "fashion.h"

#include <atomic>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> failures(0);
static const char *setting, *phase;

static void expect(bool condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s: %s, set %s create\n", what, setting, phase);
    ++failures;
  }
}

/// The registers that rounding and trapping depend on, flags included.
struct Registers {
  uint64_t control = 0, status = 0;

  static Registers read() {
    Registers registers;
#if defined(__x86_64__)
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    registers.control = mxcsr;
#else
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(registers.control), "=r"(registers.status));
#endif
    return registers;
  }
  void write() const {
#if defined(__x86_64__)
    auto mxcsr = uint32_t(control);
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
#else
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(control), "r"(status));
#endif
  }
  bool operator==(const Registers &other) const {
    return control == other.control && status == other.status;
  }
};

struct Setting {
  const char *name;
  uint64_t set, clear;
};

#if defined(__x86_64__)
static const Setting settings[] = {
    {"rounding up", 0x4000, 0},      {"rounding down", 0x2000, 0},
    {"rounding to zero", 0x6000, 0}, {"flushing to zero", 0x8040, 0},
    {"trapping", 0, 0x1fbf},         {"all at once", 0xe040, 0x1fbf},
    {"flags raised", 0x3f, 0}};
#else
static const Setting settings[] = {{"rounding up", 0x400000, 0},
                                   {"rounding down", 0x800000, 0},
                                   {"rounding to zero", 0xc00000, 0},
                                   {"flushing to zero", 0x1000000, 0},
                                   {"one NaN", 0x2000000, 0}};
#endif

static void enter(const Setting &setting) {
  Registers registers = Registers::read();
  registers.control = (registers.control | setting.set) & ~setting.clear;
  registers.write();
}

/// Threads of the product's, which are in its environment, too.
static void lend(void *user, int32_t count, void (*body)(void *, int32_t),
                 void *task) {
  std::atomic<int32_t> next(0);
  auto work = [&] {
    if (user)
      enter(*static_cast<const Setting *>(user));
    Registers before = Registers::read();
    for (int32_t i; (i = next++) < count;) {
      body(task, i);
      if (!(Registers::read() == before))
        ++failures;
    }
  };
  std::thread other(work);
  work();
  other.join();
}

static uint8_t pixels[fashion_HEIGHT * fashion_WIDTH];
static float tensor[fashion_CHANNELS * fashion_HEIGHT * fashion_WIDTH];

/// The logits of an image, of a tensor, and of one with extreme values.
struct Results {
  float logits[3][fashion_LOGITS_ELEMENTS];

  bool compute(fashion_net &net) {
    static float wild[fashion_CHANNELS * fashion_HEIGHT * fashion_WIDTH];
    const uint32_t values[] = {0x00000001, 0x7f7fffff, 0x80000001,
                               0x7f800000, 0x7f800001, 0xffc00000};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; ++i)
      memcpy(&wild[i], &values[i % 6], sizeof(float));
    fashion_image image = {pixels,         fashion_WIDTH,
                           fashion_HEIGHT, fashion_PIXELS_NATIVE,
                           fashion_WIDTH,  {0, 0, 0, 0}};
    return net.run(image, logits[0]) == fashion_OK &&
           net.runTensor(tensor, 1, logits[1]) == fashion_OK &&
           net.runTensor(wild, 1, logits[2]) == fashion_OK;
  }
};

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  for (size_t i = 0; i < sizeof pixels; ++i)
    pixels[i] = uint8_t(i * 37);
  for (size_t i = 0; i < sizeof tensor / sizeof *tensor; ++i)
    tensor[i] = float(i % 17) / 7 - 1;
  const Registers standard = Registers::read();
  fashion_options plain = {};
  plain.threads = 1;
  fashion_net first(argv[1], &plain);
  Results expected, results;
  if (!expected.compute(first))
    return fprintf(stderr, "a plain run fails\n"), 1;

  for (const Setting &one : settings)
    for (bool before : {false, true})
      for (int32_t threads : {1, 2, 3, -1}) {
        if (threads > 0 && threads < atoi(argv[3]))
          continue;
        setting = one.name;
        phase = before ? "before" : "after";
        fashion_options options = {};
        if (threads > 0)
          options.threads = threads;
        else
          options.parallel_for = lend;
        options.parallel_user = const_cast<Setting *>(&one);
        standard.write();
        if (before)
          enter(one);
        fashion_net net(argv[1], &options);
        if (!before)
          enter(one);
        for (int run = 0; run < atoi(argv[2]); ++run) {
          Registers had = Registers::read();
          bool done = results.compute(net);
          Registers has = Registers::read();
          standard.write();
          expect(done, "a run fails");
          expect(has == had, "a run changes the environment");
          expect(!memcmp(&results, &expected, sizeof results), "other bits");
          had.write();
        }
        standard.write();
      }
  if (!failures)
    puts("ok");
  return failures != 0;
}
