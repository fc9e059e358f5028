// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Pipelines/Pipelines.h"

#include "vitc/Conversion/Passes.h"
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Dialect/ViT/Transforms/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

void vitc::registerDialects(DialectRegistry &registry) {
  registry.insert<vit::ViTDialect, kernel::KernelDialect, quant::QuantDialect,
                  func::FuncDialect, emitc::EmitCDialect>();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static void populateSimplify(OpPassManager &manager,
                             const vitc::PipelineOptions &options) {
  manager.addPass(vitc::vit::createDecomposePass());
  auto rewrite = [&](StringRef name, std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(options.disabledRewrites, name))
      manager.addPass(std::move(pass));
  };
  // Layer scales first, so that the passes below find plain layers.
  rewrite("fold-affine", vitc::vit::createFoldAffinePass());
  // Then the norm: it gives keys and values a bias, which the next ones take
  // away again.
  rewrite("fold-norm", vitc::vit::createFoldNormPass());
  rewrite("fold-softmax-scale", vitc::vit::createFoldSoftmaxScalePass());
  rewrite("drop-key-bias", vitc::vit::createDropKeyBiasPass());
  rewrite("move-value-bias", vitc::vit::createMoveValueBiasPass());
  // Before fusion: a fused layer could still be moved, but a pool hides an
  // activation from its layer.
  rewrite("pool-early", vitc::vit::createPoolEarlyPass());
  // Joins the pools that several users of a sequence now have of the same
  // token.
  manager.addPass(createCSEPass());
  rewrite("single-query", vitc::vit::createSingleQueryPass());
  // The single query's own projection needs its token only.
  rewrite("pool-early", vitc::vit::createPoolEarlyPass());
}

static void populateFuse(OpPassManager &manager,
                         const vitc::PipelineOptions &) {
  manager.addPass(vitc::vit::createSinkPositionPass());
  manager.addPass(vitc::vit::createFuseQkvPass());
  manager.addPass(vitc::vit::createFuseEpiloguesPass());
  // Last: the fusions above make parameters out of parameters.
  manager.addPass(vitc::vit::createHoistParametersPass());
}

static void populatePrecision(OpPassManager &manager,
                              const vitc::PipelineOptions &) {
  manager.addPass(vitc::vit::createAssignPrecisionPass());
  // Weights of fewer bits are parameters, too.
  manager.addPass(vitc::vit::createHoistParametersPass());
}

static void populateKernels(OpPassManager &manager,
                            const vitc::PipelineOptions &options) {
  // After fusion: it goes by the sizes that layers have now.
  manager.addPass(vitc::vit::createSelectKernelsPass({options.remarks}));
  manager.addPass(vitc::createConvertViTToKernelPass());
}

static void populatePlan(OpPassManager &manager,
                         const vitc::PipelineOptions &options) {
  manager.addPass(vitc::kernel::createPlanWorkspacePass());
  if (!llvm::is_contained(options.disabledRewrites, "batch-tail"))
    manager.addPass(vitc::kernel::createBatchTailPass({options.images}));
  manager.addPass(vitc::kernel::createPlanWeightsPass());
}

llvm::ArrayRef<llvm::StringLiteral> vitc::rewriteNames() {
  static constexpr llvm::StringLiteral names[] = {
      "fold-affine",   "fold-norm",       "fold-softmax-scale",
      "drop-key-bias", "move-value-bias", "pool-early",
      "single-query",  winogradName,      "batch-tail"};
  return names;
}

llvm::ArrayRef<vitc::Stage> vitc::stages() {
  static constexpr Stage all[] = {
      {"simplify",
       "write composite layers out and compute pooled tokens only where "
       "nothing else is asked for",
       populateSimplify},
      {"fuse",
       "fuse layers and move what depends on weights alone to compile time",
       populateFuse},
      {"precision", "give the operands of layers the bits that were asked for",
       populatePrecision},
      {"kernels", "turn layers into kernel calls on buffers", populateKernels},
      {"plan", "give every buffer and every weight its place", populatePlan},
  };
  return all;
}

//===----------------------------------------------------------------------===//
// vitc-opt
//===----------------------------------------------------------------------===//

namespace {

/// The options of `vitc-lower`: those of the stages and of the target, which a
/// module may also have.
struct LowerOptions : PassPipelineOptions<LowerOptions> {
  Option<int64_t> panel{*this, "panel",
                        llvm::cl::desc("columns in a panel of packed weights"),
                        llvm::cl::init(16)};
  ListOption<std::string> levels{
      *this, "levels",
      llvm::cl::desc("levels of the target, each with the algorithm of the "
                     "products that gain by it: avx2:strassen,zen4:winograd")};
  Option<int64_t> images{*this, "images", llvm::cl::desc("images of the batch"),
                         llvm::cl::init(1)};
  ListOption<std::string> disabledRewrites{
      *this, "disable-rewrites", llvm::cl::desc("rewrites to leave out")};
  Option<bool> remarks{
      *this, "remarks",
      llvm::cl::desc("tell how each layer is computed, and why"),
      llvm::cl::init(false)};
  Option<std::string> untilAfter{*this, "until-after",
                                 llvm::cl::desc("the last stage; all if empty"),
                                 llvm::cl::init("")};
};

} // namespace

/// A wrong word in an option of the pipeline ends the tool: builders of
/// pipelines have no way to fail.
static void requireOneOf(StringRef option, StringRef word,
                         ArrayRef<StringRef> known) {
  if (!llvm::is_contained(known, word))
    llvm::reportFatalUsageError("vitc-lower: " + option + "=" + word +
                                ": known are " + llvm::join(known, ", "));
}

static void buildLower(OpPassManager &manager, const LowerOptions &options) {
  vitc::PipelineOptions stageOptions;
  stageOptions.images = options.images;
  stageOptions.remarks = options.remarks;
  SmallVector<StringRef> rewrites(vitc::rewriteNames()), names;
  llvm::erase(rewrites, vitc::winogradName); // `levels` says so
  for (const std::string &rewrite : options.disabledRewrites) {
    requireOneOf("disable-rewrites", rewrite, rewrites);
    stageOptions.disabledRewrites.push_back(rewrite);
  }
  for (const vitc::Stage &stage : vitc::stages())
    names.push_back(stage.name);
  if (!options.untilAfter.empty())
    requireOneOf("until-after", options.untilAfter, names);
  if (options.panel.hasValue() || options.levels.hasValue())
    manager.addPass(vitc::kernel::createAttachTargetPass(
        {options.panel, llvm::to_vector(options.levels)}));
  for (const vitc::Stage &stage : vitc::stages()) {
    stage.populate(manager, stageOptions);
    if (stage.name == options.untilAfter)
      break;
  }
}

void vitc::registerPasses() {
  vit::registerViTPasses();
  kernel::registerKernelPasses();
  registerConversionPasses();
  static PassPipelineRegistration<LowerOptions> lower(
      "vitc-lower",
      "all stages, from the imported model to placed kernel calls", buildLower);
}
