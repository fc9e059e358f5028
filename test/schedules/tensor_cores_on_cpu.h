// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Just enough of CUDA to run a generated kernel on the CPU: a thread of the
/// system for each of a block's, blocks one after the other. Every lane of a
/// warp holds whole matrices, and does what the warp would do together.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

#define __global__
#define __launch_bounds__(threads)
#define __shared__ static
// Behind `static` the compiler takes its own spelling alone.
#define alignas(bytes) __attribute__((aligned(bytes)))

using half = _Float16;
using std::max;
using std::min;

struct Index {
  unsigned x, y, z;
};
thread_local Index threadIdx;
Index blockIdx;
pthread_barrier_t blockBarrier;

inline void __syncthreads() { pthread_barrier_wait(&blockBarrier); }

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
enum layout_t { mem_row_major };

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static_assert(M == 16 && N == 16 && K == 16);
  T at[16][16];
};

template <class Fragment>
void fill_fragment(Fragment &matrix, float value) {
  for (auto &row : matrix.at)
    std::fill(std::begin(row), std::end(row), value);
}

/// What CUDA asks of a matrix in memory; a GPU would fault or read elsewhere.
template <class T>
void checkPlace(const T *at, unsigned stride) {
  if (reinterpret_cast<uintptr_t>(at) % 32 || stride * sizeof(T) % 16)
    std::abort();
}

template <class Fragment, class T>
void load_matrix_sync(Fragment &matrix, const T *from, unsigned stride) {
  checkPlace(from, stride);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      matrix.at[i][j] = from[i * stride + j];
}

template <class Fragment, class T>
void store_matrix_sync(T *to, const Fragment &matrix, unsigned stride,
                       layout_t) {
  checkPlace(to, stride);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      to[i * stride + j] = matrix.at[i][j];
}

template <class Sum, class Left, class Right>
void mma_sync(Sum &result, const Left &left, const Right &right,
              const Sum &sum) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float value = sum.at[i][j];
      for (int k = 0; k < 16; ++k)
        value += float(left.at[i][k]) * float(right.at[k][j]);
      result.at[i][j] = value;
    }
}

} // namespace nvcuda::wmma

template <class Kernel>
void runKernel(Kernel kernel, const int *blocks, const int *threads) {
  int count = threads[0] * threads[1] * threads[2];
  pthread_barrier_init(&blockBarrier, nullptr, unsigned(count));
  for (int block = 0; block < blocks[0] * blocks[1] * blocks[2]; ++block) {
    blockIdx = {unsigned(block % blocks[0]),
                unsigned(block / blocks[0] % blocks[1]),
                unsigned(block / blocks[0] / blocks[1])};
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i)
      all.emplace_back([=] {
        threadIdx = {unsigned(i % threads[0]),
                     unsigned(i / threads[0] % threads[1]),
                     unsigned(i / threads[0] / threads[1])};
        kernel();
      });
    for (std::thread &thread : all)
      thread.join();
  }
  pthread_barrier_destroy(&blockBarrier);
}
