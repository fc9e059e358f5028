// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every config of the golden models and of models/ is imported once. Builds
/// with sanitizers see what a config alone makes the frontends do.
#include "vitc/Frontend/Import.h"

#include "vitc/Dialect/ViT/IR/ViT.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace vitc;

/// Folders of golden models, and the names of models/.
static std::vector<std::string> models() {
  std::vector<std::string> found;
  std::error_code code;
  std::string root = VITC_SOURCE_DIR;
  for (llvm::sys::fs::directory_iterator
           it(root + "/test/numerics/golden", code),
       end;
       it != end && !code; it.increment(code))
    if (llvm::sys::fs::exists(it->path() + "/config.json"))
      found.push_back(it->path());
  for (llvm::sys::fs::directory_iterator it(root + "/models", code), end;
       it != end && !code; it.increment(code))
    if (llvm::sys::path::extension(it->path()) == ".json")
      found.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(found);
  return found;
}

TEST(ConfigsTest, AreImported) {
  std::vector<std::string> names = models();
  ASSERT_GT(names.size(), 100u);
  mlir::MLIRContext context;
  context.loadDialect<vit::ViTDialect, mlir::func::FuncDialect>();
  for (const std::string &name : names) {
    SCOPED_TRACE(name);
    std::optional<uint64_t> seed;
    if (!llvm::StringRef(name).contains('/'))
      seed = 1;
    llvm::Expected<ModelSource> source =
        openModel(name, "", seed, VITC_SOURCE_DIR "/models");
    ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
    llvm::Expected<ImportedModel> model = importModel(&context, *source, {});
    ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
    EXPECT_TRUE(llvm::succeeded(mlir::verify(*model->module)));
  }
}
