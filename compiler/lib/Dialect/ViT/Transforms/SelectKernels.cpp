// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vitc::vit {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "vitc/Dialect/ViT/Transforms/Passes.h.inc"
} // namespace vitc::vit

using namespace mlir;
using namespace vitc::vit;
using vitc::kernel::Algorithm;

namespace {

/// A product of m rows, n columns and sums of k steps.
struct Product {
  int64_t m, n, k;
};

/// A size that an algorithm asks something of.
struct Size {
  StringRef name;
  int64_t value;
  int64_t least;        ///< that it gains from
  int64_t multiple = 1; ///< that it takes
};

/// An op's algorithm at a level, and why.
struct Choice {
  Algorithm algorithm;
  std::string reason;
};

} // namespace

/// What keeps an algorithm from a product; empty if nothing does.
static std::string obstacle(Algorithm algorithm, ArrayRef<Size> sizes) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  StringRef name = stringifyAlgorithm(algorithm);
  for (const Size &size : sizes) {
    if (size.value < size.least)
      os << name << " gains from " << size.least << " " << size.name
         << " on, not with " << size.value;
    else if (size.value % size.multiple != 0)
      os << name << " takes multiples of " << size.multiple << " " << size.name
         << ", not " << size.value;
    if (!reason.empty())
      break;
  }
  return reason;
}

/// Seven products of half the size in each direction for eight, against sums
/// over everything that is read and written. Measured on Zen 3: 4% for 197 rows
/// at n and k of 384, 6 to 11% at 768 and more, 8% for 50 rows at n of 3072.
/// Halves must be whole panels, and whole vectors along k.
static std::string obstacleToStrassen(const Product &product, int64_t panel) {
  constexpr int64_t leastRows = 48, leastColumns = 384, vector = 16;
  return obstacle(Algorithm::Strassen,
                  {{"rows", product.m, leastRows},
                   {"columns", product.n, leastColumns, 2 * panel},
                   {"steps", product.k, leastColumns, 2 * vector}});
}

/// Two multiply-adds and two additions for three multiply-adds. The gain grows
/// with the columns, and the scaled copy of the left operand, which it starts
/// with, does not.
static std::string obstacleToWinograd(const Product &product) {
  constexpr int64_t leastRows = 16, leastColumns = 96;
  return obstacle(Algorithm::Winograd,
                  {{"rows", product.m, leastRows},
                   {"columns", product.n, leastColumns},
                   {"steps", product.k, vitc::families::winogradSteps,
                    vitc::families::winogradFloats}});
}

/// Fewer rows than the matrices of a tensor core have would leave most of it
/// idle.
static std::string obstacleToTensorCore(const Product &product) {
  constexpr int64_t matrixRows = 16;
  return obstacle(Algorithm::TensorCore, {{"rows", product.m, matrixRows}});
}

static Choice choose(const Product &product, Algorithm offered, int64_t panel) {
  auto unless = [&](std::string obstacle, StringRef gain) -> Choice {
    if (obstacle.empty())
      return {offered, gain.str()};
    return {Algorithm::Plain, obstacle};
  };
  switch (offered) {
  case Algorithm::Plain:
    return {Algorithm::Plain, "the target has no other for this level"};
  case Algorithm::Strassen:
    return unless(obstacleToStrassen(product, panel),
                  "seven products of half the size take the place of eight");
  case Algorithm::Winograd:
    return unless(obstacleToWinograd(product),
                  "additions, which cost nothing there, take the place of a "
                  "third of the multiplications");
  case Algorithm::TensorCore:
    return unless(obstacleToTensorCore(product),
                  "its rows fill the matrices of a tensor core");
  }
  llvm_unreachable("unknown algorithm");
}

/// Attention gains by Winograd's products whatever its size: its kernel takes
/// them for the product that they make faster.
static Choice chooseForAttention(Algorithm offered) {
  if (offered == Algorithm::Winograd)
    return {offered, "additions cost nothing there"};
  return {Algorithm::Plain,
          offered == Algorithm::Plain
              ? "the target has no other for this level"
              : (stringifyAlgorithm(offered) + " is for linear layers").str()};
}

static Product productOf(LinearOp op) {
  RankedTensorType in = op.getInput().getType(), out = op.getResult().getType();
  int64_t k = in.getShape().back();
  return {in.getNumElements() / k, out.getShape().back(), k};
}

namespace {

struct SelectKernelsPass
    : vitc::vit::impl::SelectKernelsPassBase<SelectKernelsPass> {
  using SelectKernelsPassBase::SelectKernelsPassBase;

  void runOnOperation() override {
    vitc::kernel::TargetAttr target = vitc::kernel::targetOf(getOperation());
    auto visit = [&](Operation *op) {
      if (auto linear = dyn_cast<LinearOp>(op);
          linear && !isModelTensor(linear.getWeight().getType())) {
        return; // operands of fewer bits have products of their own
      } else if (linear) {
        Product product = productOf(linear);
        select(op, target, [&](Algorithm offered) {
          return choose(product, offered, target.getPanel());
        });
      } else if (isa<AttentionOp>(op)) {
        select(op, target, chooseForAttention);
      }
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk(visit);
  }

  void select(Operation *op, vitc::kernel::TargetAttr target,
              function_ref<Choice(Algorithm)> choose) {
    SmallVector<Attribute> selected;
    for (vitc::kernel::LevelAttr level : target.getLevels()) {
      Choice choice = choose(level.getAlgorithm());
      selected.push_back(vitc::kernel::LevelAttr::get(
          &getContext(), level.getName(), choice.algorithm));
      if (remarks)
        op->emitRemark() << stringifyAlgorithm(choice.algorithm) << " at "
                         << level.getName() << ": " << choice.reason;
    }
    op->setAttr(vitc::kernel::selectedAttrName,
                ArrayAttr::get(&getContext(), selected));
  }
};

} // namespace
