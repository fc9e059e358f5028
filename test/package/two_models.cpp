// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two models in one program, each with code, threads and weights of its own;
// both run at the same time. Usage: two_models FASHION-WEIGHTS GOLDEN-WEIGHTS;
// prints the first logit of each, and they must not change.
#include "fashion.h"
#include "golden.h"

#include <cstdio>
#include <cstring>
#include <thread>

static float fashionPixels[fashion_CHANNELS * fashion_HEIGHT * fashion_WIDTH];
static float
    goldenPixels[golden_BATCH * golden_CHANNELS * golden_HEIGHT * golden_WIDTH];

/// Runs many times and returns whether all runs gave the same bits.
template <size_t N, typename Run>
static bool repeats(float (&first)[N], Run run) {
  if (!run(first))
    return false;
  for (int i = 0; i < 50; ++i) {
    float again[N];
    if (!run(again) || memcmp(first, again, sizeof first))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  for (float &pixel : fashionPixels)
    pixel = 0.25f;
  for (float &pixel : goldenPixels)
    pixel = 0.5f;
  fashion_net fashion(argv[1]);
  golden_net golden(argv[2]);
  if (fashion.status() != fashion_OK || golden.status() != golden_OK)
    return fprintf(stderr, "%s, %s\n", fashion_status_text(fashion.status()),
                   golden_status_text(golden.status())),
           1;

  float fashionLogits[fashion_LOGITS_ELEMENTS],
      goldenLogits[golden_LOGITS_ELEMENTS];
  bool fashionSame = false, goldenSame = false;
  std::thread other([&] {
    goldenSame = repeats(goldenLogits, [&](float *logits) {
      return golden.runTensor(goldenPixels, golden_BATCH, logits) == golden_OK;
    });
  });
  fashionSame = repeats(fashionLogits, [&](float *logits) {
    return fashion.runTensor(fashionPixels, 1, logits) == fashion_OK;
  });
  other.join();
  if (!fashionSame || !goldenSame)
    return fprintf(stderr, "a run failed or gave other bits\n"), 1;
  printf("%a\n%a\n", fashionLogits[0], goldenLogits[0]);
}
