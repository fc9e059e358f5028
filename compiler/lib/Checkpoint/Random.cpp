// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Weights for benchmarks. A value depends on the seed, the tensor's name and
/// the element's index alone, so any part can be read in any order. Only
/// integer arithmetic and single correctly rounded operations are used: all
/// machines give the same bits.
#include "StoredData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>

using namespace llvm;

namespace vitc {

namespace {
/// How the values of a tensor are spread.
struct Spread {
  bool isGain = false;     ///< uniform in [0.8, 1.2]
  double deviation = 0.05; ///< else bell-shaped around 0
};

class RandomCheckpoint : public Checkpoint {
public:
  RandomCheckpoint(std::vector<TensorInfo> wanted, uint64_t seed);

  ArrayRef<TensorInfo> tensors() const override { return infos; }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<float> out) const override {
    fill(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<double> out) const override {
    fill(tensor, first, out);
  }
  void read(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<int64_t> out) const override {
    report_fatal_error("random weights have no integers");
  }
  std::string describe() const override {
    return "random weights (seed " + std::to_string(seed) + ")";
  }

private:
  template <typename Out>
  void fill(const TensorInfo &tensor, int64_t first,
            MutableArrayRef<Out> out) const;

  std::vector<TensorInfo> infos;
  uint64_t seed;
};
} // namespace

/// The step and the mixing function of SplitMix64 (Steele, Lea and Flood 2014).
static constexpr uint64_t goldenStep = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Where the tensor's sequence starts: FNV-1a over its name, mixed with seed.
static uint64_t startOf(StringRef name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return mix(hash ^ mix(seed + goldenStep));
}

static Spread spreadOf(const TensorInfo &tensor) {
  std::string lower = StringRef(tensor.name).lower();
  StringRef name = lower;
  size_t rank = tensor.shape.size();
  bool isNorm = name.contains("norm");
  bool isPlace = name.contains("token") || name.contains("position") ||
                 name.contains("pos_embed");
  // Layer scale and variances, which must stay positive, are gains too.
  if ((name.ends_with("weight") && (isNorm || (rank == 1 && !isPlace))) ||
      name.ends_with("running_var") || name.ends_with("logit_scale") ||
      name.contains("gamma") || name.contains("lambda"))
    return {/*isGain=*/true, 0};
  if (isPlace)
    return {false, 0.1};
  if (name.ends_with("bias") || rank < 2)
    return {false, 0.05};
  double fanIn = 1;
  for (int64_t extent : ArrayRef<int64_t>(tensor.shape).drop_front())
    fanIn *= double(std::max<int64_t>(extent, 1));
  return {false, 1 / std::sqrt(fanIn)};
}

RandomCheckpoint::RandomCheckpoint(std::vector<TensorInfo> wanted,
                                   uint64_t seed)
    : infos(std::move(wanted)), seed(seed) {
  llvm::sort(infos, [](const TensorInfo &a, const TensorInfo &b) {
    return a.name < b.name;
  });
  for (TensorInfo &info : infos) {
    info.type = StoredType::F32;
    info.place = describe();
  }
}

template <typename Out>
void RandomCheckpoint::fill(const TensorInfo &tensor, int64_t first,
                            MutableArrayRef<Out> out) const {
  const TensorInfo *mine = find(tensor.name);
  if (!mine)
    report_fatal_error(Twine("read of a tensor that was not wanted: ") +
                       tensor.name);
  checkReadRange(*mine, first, out.size());
  Spread spread = spreadOf(*mine);
  uint64_t state = startOf(mine->name, seed) + uint64_t(first) * goldenStep;

  if (spread.isGain) {
    // 24-bit fixed point: 0.8 is 13421773, the width 0.4 is 6710886.
    for (Out &value : out) {
      uint64_t bits = mix(state += goldenStep) >> 40;
      value = float(int32_t(13421773 + (bits * 6710886 >> 24))) * 0x1p-24f;
    }
    return;
  }
  // The sum of four 16-bit uniforms is bell-shaped: symmetric, cut at 3.46
  // deviations, excess kurtosis -0.3. Its variance is 4 (2^32 - 1) / 12.
  constexpr int32_t mean = 2 * 0xffff;
  constexpr uint64_t evenFields = 0x0000ffff0000ffff;
  float scale = float(spread.deviation / std::sqrt((0x1p32 - 1) / 3));
  for (Out &value : out) {
    uint64_t bits = mix(state += goldenStep);
    uint64_t pairs = (bits & evenFields) + (bits >> 16 & evenFields);
    int32_t sum = int32_t(uint32_t(pairs) + uint32_t(pairs >> 32));
    value = float(sum - mean) * scale;
  }
}

std::unique_ptr<Checkpoint> makeRandomCheckpoint(std::vector<TensorInfo> wanted,
                                                 uint64_t seed) {
  return std::make_unique<RandomCheckpoint>(std::move(wanted), seed);
}

} // namespace vitc
