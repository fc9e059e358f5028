// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

using namespace vitc::tool;
using vitc::targetinfo::PeakLoop;
using Clock = std::chrono::steady_clock;

unsigned vitc::tool::usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
    return unsigned(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

// Two multiply-adds start in each cycle and take 4 (Zen, Skylake) or 5 cycles
// (Broadwell): 10 independent chains keep both units busy, 12 leave room. Each
// chain is x = 0.5 x + 1, which stays near 2: no denormals, no overflow.
static constexpr int chains = 12;

#if defined(__x86_64__)

static constexpr float half = 0.5f, one = 1.0f;

__attribute__((noinline)) static void loopAvx2(int64_t iterations) {
  asm volatile("vbroadcastss %[half], %%ymm14\n"
               "vbroadcastss %[one], %%ymm15\n"
               "vmovaps %%ymm15, %%ymm0\n"
               "vmovaps %%ymm15, %%ymm1\n"
               "vmovaps %%ymm15, %%ymm2\n"
               "vmovaps %%ymm15, %%ymm3\n"
               "vmovaps %%ymm15, %%ymm4\n"
               "vmovaps %%ymm15, %%ymm5\n"
               "vmovaps %%ymm15, %%ymm6\n"
               "vmovaps %%ymm15, %%ymm7\n"
               "vmovaps %%ymm15, %%ymm8\n"
               "vmovaps %%ymm15, %%ymm9\n"
               "vmovaps %%ymm15, %%ymm10\n"
               "vmovaps %%ymm15, %%ymm11\n"
               ".p2align 5\n"
               "1:\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm0\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm1\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm2\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm3\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm4\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm5\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm6\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm7\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm8\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm9\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm10\n"
               "vfmadd213ps %%ymm15, %%ymm14, %%ymm11\n"
               "decq %[n]\n"
               "jnz 1b\n"
               "vzeroupper\n"
               : [n] "+r"(iterations)
               : [half] "m"(half), [one] "m"(one)
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                 "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm14", "xmm15");
}

__attribute__((noinline)) static void loopAvx512(int64_t iterations) {
  asm volatile("vbroadcastss %[half], %%zmm14\n"
               "vbroadcastss %[one], %%zmm15\n"
               "vmovaps %%zmm15, %%zmm0\n"
               "vmovaps %%zmm15, %%zmm1\n"
               "vmovaps %%zmm15, %%zmm2\n"
               "vmovaps %%zmm15, %%zmm3\n"
               "vmovaps %%zmm15, %%zmm4\n"
               "vmovaps %%zmm15, %%zmm5\n"
               "vmovaps %%zmm15, %%zmm6\n"
               "vmovaps %%zmm15, %%zmm7\n"
               "vmovaps %%zmm15, %%zmm8\n"
               "vmovaps %%zmm15, %%zmm9\n"
               "vmovaps %%zmm15, %%zmm10\n"
               "vmovaps %%zmm15, %%zmm11\n"
               ".p2align 5\n"
               "1:\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm0\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm1\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm2\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm3\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm4\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm5\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm6\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm7\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm8\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm9\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm10\n"
               "vfmadd213ps %%zmm15, %%zmm14, %%zmm11\n"
               "decq %[n]\n"
               "jnz 1b\n"
               "vzeroupper\n"
               : [n] "+r"(iterations)
               : [half] "m"(half), [one] "m"(one)
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                 "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm14", "xmm15");
}

#endif

//===----------------------------------------------------------------------===//
// The meter
//===----------------------------------------------------------------------===//

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

PeakLoop vitc::tool::peakLoopFor(llvm::StringRef targetName) {
  llvm::Expected<vitc::Target> target = vitc::findTarget(targetName);
  if (!target) {
    llvm::consumeError(target.takeError());
    return PeakLoop::None;
  }
  for (const vitc::Level &level : llvm::reverse(target->levels))
    if (vitc::runsHere(level))
      return level.peakLoop;
  return PeakLoop::None;
}

PeakMeter::PeakMeter(llvm::StringRef target, unsigned threads)
    : threads(threads) {
  switch (peakLoopFor(target)) {
  case PeakLoop::Unset:
    llvm_unreachable("every level has a loop, or none on purpose");
  case PeakLoop::None:
    break;
#if defined(__x86_64__)
  case PeakLoop::Avx2:
    loop = loopAvx2;
    flopsPerIteration = 2.0 * 8 * chains;
    break;
  case PeakLoop::Avx512:
    loop = loopAvx512;
    flopsPerIteration = 2.0 * 16 * chains;
    break;
#else
  case PeakLoop::Avx2:
  case PeakLoop::Avx512:
    llvm_unreachable("another architecture's level does not run here");
#endif
  }
  if (!loop)
    return;
  // A slice of a millisecond: short enough to fall between two interruptions,
  // long enough for the clock.
  constexpr double slice = 1e-3;
  constexpr int64_t probe = 100000;
  loop(probe);
  Clock::time_point start = Clock::now();
  loop(probe);
  iterations =
      std::max<int64_t>(1, int64_t(probe * slice / secondsSince(start)));
}

void PeakMeter::measure() {
  if (!loop)
    return;
  // Slices of one call; starting the threads costs more than one slice.
  constexpr int slices = 4;
  std::vector<std::pair<Clock::time_point, Clock::time_point>> times(threads *
                                                                     slices);
  auto arrived = std::make_unique<std::atomic<unsigned>[]>(slices);
  auto work = [&](unsigned thread) {
    for (int slice = 0; slice < slices; ++slice) {
      // All start together: the peak of all cores at once is what is asked for.
      arrived[slice].fetch_add(1);
      while (arrived[slice].load(std::memory_order_acquire) < threads)
        std::this_thread::yield();
      auto &[start, end] = times[slice * threads + thread];
      start = Clock::now();
      loop(iterations);
      end = Clock::now();
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread &other : others)
    other.join();
  for (int slice = 0; slice < slices; ++slice) {
    auto first = times.begin() + slice * threads, last = first + threads;
    auto start = std::min_element(first, last)->first;
    auto end = std::max_element(first, last, [](auto &a, auto &b) {
                 return a.second < b.second;
               })->second;
    double seconds = std::chrono::duration<double>(end - start).count();
    bestRate = std::max(bestRate, threads * double(iterations) *
                                      flopsPerIteration / seconds);
  }
}
