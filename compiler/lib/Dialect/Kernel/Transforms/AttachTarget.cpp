// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"

namespace vitc::kernel {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace vitc::kernel

using namespace mlir;
using namespace vitc::kernel;

namespace {

struct AttachTargetPass
    : vitc::kernel::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    SmallVector<LevelAttr> attrs;
    for (StringRef text : levels) {
      auto [name, word] = text.split(':');
      std::optional<Algorithm> algorithm =
          word.empty() ? Algorithm::Plain : symbolizeAlgorithm(word);
      if (!algorithm) {
        getOperation().emitError() << "level " << text << ": no algorithm is "
                                   << "called " << word;
        return signalPassFailure();
      }
      attrs.push_back(LevelAttr::get(&getContext(), name, *algorithm));
    }
    if (attrs.empty())
      attrs.push_back(LevelAttr::get(&getContext(), "any", Algorithm::Plain));
    auto target = TargetAttr::getChecked(
        [&] { return getOperation().emitError(); }, &getContext(),
        int64_t(panel), ArrayRef<LevelAttr>(attrs));
    if (!target)
      return signalPassFailure();
    getOperation()->setAttr(targetAttrName, target);
  }
};

} // namespace
