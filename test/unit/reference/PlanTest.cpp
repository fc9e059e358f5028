// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Plans of random models: no two buffers that live at one time share a byte,
/// and every byte has its place.
#include "RandomModel.h"

#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace vitc;

namespace {

struct Range {
  int64_t begin, end, first,
      last; ///< bytes, and the calls from `first` to `last`
};

/// The memory of every buffer as kernels may touch it: whole rows, padding
/// included.
std::vector<Range> rangesOf(func::FuncOp function) {
  DenseMap<Value, size_t> indexOf;
  std::vector<Range> ranges;
  auto add = [&](Value buffer, int64_t offset, int64_t first) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t elements = type.getRank() ? type.getDimSize(0) *
                                            type.getStridesAndOffset().first[0]
                                      : 1;
    indexOf[buffer] = ranges.size();
    ranges.push_back({offset, offset + elements * 4, first, first});
  };
  add(function.getArgument(0),
      function->getAttrOfType<IntegerAttr>(kernel::pixelsOffsetAttrName)
          .getInt(),
      0);
  int64_t scratch =
      function->getAttrOfType<IntegerAttr>(kernel::scratchOffsetAttrName)
          .getInt();
  ranges.push_back(
      {scratch,
       scratch +
           function->getAttrOfType<IntegerAttr>(kernel::scratchBytesAttrName)
               .getInt(),
       0, 0});

  int64_t time = 0;
  for (Operation &op : function.getBody().front()) {
    if (auto alloc = dyn_cast<kernel::AllocOp>(op))
      add(alloc, *alloc.getOffset(), -1);
    auto call = dyn_cast<kernel::CallOp>(op);
    if (!call)
      continue;
    ++time;
    for (Value operand : call.getOperands())
      if (auto it = indexOf.find(kernel::rootBuffer(operand));
          it != indexOf.end()) {
        Range &range = ranges[it->second];
        range.first = range.first < 0 ? time : range.first;
        range.last = time;
      }
  }
  return ranges;
}

class Plan : public testing::TestWithParam<int64_t> {
protected:
  /// The planned module of a random model.
  OwningOpRef<ModuleOp> plan(uint64_t seed) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    auto module = parse(randomModelText(seed), context);
    auto function = module->lookupSymbol<func::FuncOp>(vit::forwardName);
    function->setAttr(kernel::scratchBytesAttrName,
                      Builder(&context).getI64IntegerAttr(1 + seed * 97));
    module->getOperation()->setAttr(
        kernel::targetAttrName,
        kernel::TargetAttr::get(
            &context, GetParam(),
            kernel::LevelAttr::get(&context, "any", kernel::Algorithm::Plain)));
    PipelineOptions options;
    PassManager manager(&context);
    for (const Stage &stage : stages())
      stage.populate(manager, options);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    return module;
  }
  MLIRContext context;
};

TEST_P(Plan, BuffersAliveTogetherStandApart) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = plan(seed);
    auto function = module->lookupSymbol<func::FuncOp>(vit::forwardName);
    int64_t workspace =
        function->getAttrOfType<IntegerAttr>(kernel::workspaceBytesAttrName)
            .getInt();
    std::vector<Range> ranges = rangesOf(function);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const Range &a = ranges[i];
      EXPECT_EQ(a.begin % 64, 0);
      EXPECT_GE(a.begin, 0);
      EXPECT_LE(a.end, workspace);
      EXPECT_GE(a.first, 0) << "a buffer that no call uses was placed";
      for (size_t j = 0; j < i; ++j) {
        const Range &b = ranges[j];
        bool together = a.first <= b.last && b.first <= a.last;
        bool overlap = a.begin < b.end && b.begin < a.end;
        EXPECT_FALSE(together && overlap)
            << "bytes " << a.begin << " to " << a.end << " and " << b.begin
            << " to " << b.end;
      }
    }
  }
}

TEST_P(Plan, ConstantsFollowEachOther) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto module = plan(seed);
    std::vector<std::pair<int64_t, int64_t>> places;
    for (auto constant : module->getOps<kernel::ConstantOp>())
      places.push_back({*constant.getOffset(),
                        constant.getBufferType().getNumElements() * 4});
    std::sort(places.begin(), places.end());
    int64_t end = 0;
    for (auto [offset, bytes] : places) {
      EXPECT_EQ(offset, end);
      end = (offset + bytes + 63) / 64 * 64;
    }
    EXPECT_EQ(end,
              (*module)
                  ->getAttrOfType<IntegerAttr>(kernel::weightsBytesAttrName)
                  .getInt());
  }
}

INSTANTIATE_TEST_SUITE_P(Panels, Plan, testing::Values(8, 16, 32));

} // namespace
