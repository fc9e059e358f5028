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

using namespace mlir;

void vitc::registerDialects(DialectRegistry &registry) {
  registry.insert<vit::ViTDialect, kernel::KernelDialect, func::FuncDialect,
                  emitc::EmitCDialect>();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static bool pairsProducts(const vitc::PipelineOptions &options) {
  return options.pairs &&
         !llvm::is_contained(options.disabledRewrites, "pair-products");
}

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
  rewrite("fold-norm", vitc::vit::createFoldNormPass({pairsProducts(options)}));
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

static void populateKernels(OpPassManager &manager,
                            const vitc::PipelineOptions &options) {
  manager.addPass(vitc::createConvertViTToKernelPass(
      {options.panel, options.fastMatmul, pairsProducts(options),
       options.tensorCores}));
}

static void populatePlan(OpPassManager &manager,
                         const vitc::PipelineOptions &options) {
  manager.addPass(vitc::kernel::createPlanWorkspacePass());
  if (!llvm::is_contained(options.disabledRewrites, "join-rows"))
    manager.addPass(vitc::kernel::createJoinRowsPass({options.images}));
  manager.addPass(vitc::kernel::createPlanWeightsPass());
}

llvm::ArrayRef<llvm::StringLiteral> vitc::rewriteNames() {
  static constexpr llvm::StringLiteral names[] = {
      "fold-affine",   "fold-norm",       "fold-softmax-scale",
      "drop-key-bias", "move-value-bias", "pool-early",
      "single-query",  "pair-products",   "join-rows"};
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
      {"kernels", "turn layers into kernel calls on buffers", populateKernels},
      {"plan", "give every buffer and every weight its place", populatePlan},
  };
  return all;
}

void vitc::registerPasses() {
  vit::registerViTPasses();
  kernel::registerKernelPasses();
  registerConversionPasses();
  static PassPipelineRegistration<> lower(
      "vitc-lower",
      "all stages, from the imported model to placed kernel calls",
      [](OpPassManager &manager) {
        for (const Stage &stage : stages())
          stage.populate(manager, PipelineOptions());
      });
}
