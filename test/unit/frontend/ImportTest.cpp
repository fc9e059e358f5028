// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Imports in one process, as fuzzers do them: a context and a config in
/// memory.
#include "vitc/Frontend/Import.h"
#include "vitc/Frontend/Builder/ModelBuilder.h"
#include "vitc/Support/JsonReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"

using namespace vitc;

namespace {
class ImportTest : public ::testing::Test {
protected:
  ImportTest() {
    context.loadDialect<vit::ViTDialect, mlir::func::FuncDialect>();
  }

  /// A config in memory with random weights.
  static ModelSource source(const std::string &text) {
    ModelSource source;
    source.config = llvm::cantFail(parseJson("config.json", text));
    source.seed = 1;
    return source;
  }
  llvm::Expected<ImportedModel> import(const std::string &text) {
    ModelSource model = source(text);
    return importModel(&context, model, {});
  }
  /// The message of a user error.
  std::string failure(const std::string &text) {
    llvm::Expected<ImportedModel> model = import(text);
    if (model) {
      ADD_FAILURE() << "expected an error";
      return "";
    }
    llvm::Error error = model.takeError();
    EXPECT_TRUE(error.isA<UserError>());
    return llvm::toString(std::move(error));
  }

  mlir::MLIRContext context;
};
} // namespace

static const char smallViT[] =
    R"({"model_type": "vit", "hidden_size": 8, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "image_size": 16})";

TEST_F(ImportTest, OneContextTakesManyModels) {
  for (int i = 0; i < 3; ++i) {
    llvm::Expected<ImportedModel> model = import(smallViT);
    ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
    EXPECT_GT(countParameters(*model->module), 0);
  }
}

TEST_F(ImportTest, AForgottenCheckFailsTheImport) {
  ModelSource model = source(smallViT);
  // As a family would do that never asks its reader for errors.
  {
    JsonReader reader(*model.config);
  }
  llvm::Expected<ImportedModel> imported = importModel(&context, model, {});
  ASSERT_FALSE(bool(imported));
  llvm::Error error = imported.takeError();
  EXPECT_FALSE(error.isA<UserError>()) << "it is vitc's fault";
  EXPECT_EQ(llvm::toString(std::move(error)),
            "config.json: the config was not checked: a reader of its fields "
            "was not finished");
}

TEST_F(ImportTest, InternalErrorsStayInternal) {
  ModelBuilder model(&context, nullptr, {1, 3, 4, 4});
  model.fail(llvm::createStringError("a bug"));
  model.fail(userError("config.json: something else"));
  auto finished = model.finish({}, "x", [](llvm::StringRef) { return true; });
  ASSERT_FALSE(bool(finished));
  llvm::Error error = finished.takeError();
  EXPECT_FALSE(error.isA<UserError>());
  EXPECT_EQ(llvm::toString(std::move(error)), "a bug");
}

TEST_F(ImportTest, TensorsHaveFewerElementsThanTheDialectTakes) {
  EXPECT_EQ(
      failure(R"({"model_type": "beit", "use_relative_position_bias": true,
 "hidden_size": 10, "num_attention_heads": 5, "num_hidden_layers": 1,
 "image_size": 5000, "patch_size": 1})"),
      "config.json:3:16: image_size 5000 x 5000: the attention bias "
      "beit.encoder.layer.0.attention.attention.relative_position_bias "
      "would have too many numbers, expected at most 2^31 for all heads "
      "and pairs of tokens");
  // What nobody asks for may be as large as it likes.
  llvm::Expected<ImportedModel> model = import(
      R"({"model_type": "vit", "hidden_size": 10, "num_attention_heads": 5,
 "num_hidden_layers": 1, "image_size": 5000, "patch_size": 1})");
  EXPECT_TRUE(bool(model)) << llvm::toString(model.takeError());
  EXPECT_EQ(failure(R"({"model_type": "vit", "hidden_size": 65536,
 "num_attention_heads": 16, "num_channels": 1024, "image_size": 65536, "patch_size": 65536})")
                .substr(0, 60),
            "config.json: vit.embeddings.patch_embeddings.projection.weig");
}

TEST_F(ImportTest, ClassesAreCountedBeforeTheyGetNames) {
  EXPECT_EQ(failure(R"({"model_type": "vit", "num_labels": 1000001})"),
            "config.json:1:37: num_labels 1000001 is not between 1 and "
            "1000000");
  EXPECT_EQ(failure(R"({"architecture": "vit_tiny_patch16_224",
 "num_classes": 67108863})"),
            "config.json: pretrained_cfg:1:50: num_classes 67108863 is not "
            "between 0 and 1000000");
  EXPECT_EQ(failure(R"({"model_type": "vitc", "classes": 10000000})"),
            "config.json:1:35: classes 10000000 is not between 0 and 1000000");
}

TEST_F(ImportTest, EmptyTensors) {
  EXPECT_EQ(failure(R"({"model_type": "vit", "id2label": {}})"),
            "config.json:1:35: id2label is empty, expected a name for each "
            "class");
  EXPECT_NE(failure(R"({"model_type": "mobilevit", "mlp_ratio": 1e-9})")
                .find("would be an empty tensor"),
            std::string::npos);
}

TEST_F(ImportTest, WindowsLargerThanTheirMap) {
  EXPECT_EQ(failure(R"({"model_type": "vit-hybrid", "image_size": [32, 31],
 "patch_size": 8})"),
            "config.json:1:44: image_size 32 x 31: "
            "vit.embeddings.patch_embeddings.projection takes windows of 8 x "
            "8, and the map before it has only 2 x 2 pixels");
}

TEST_F(ImportTest, MapsThatCannotBeHalved) {
  EXPECT_NE(failure(R"({"architecture": "coatnet_rmlp_nano_rw_224",
 "model_args": {"img_size": [36, 44]}})")
                .find("img_size 36 x 44: stages.1.blocks.0.residual adds"),
            std::string::npos);
}

TEST_F(ImportTest, TablesThatNoMemoryHolds) {
  EXPECT_EQ(failure(R"({"model_type": "vitc", "image_size": 65536,
 "patch_size": 1, "width": 64, "heads": 4, "position": "rotary"})"),
            "config.json:1:38: image_size 65536 x 65536: the table rotary.cos "
            "would have too many numbers, expected fewer than 8388608");
  EXPECT_EQ(failure(R"({"architecture": "eva02_tiny_patch14_224", "model_args":
 {"img_size": 7168}})"),
            "config.json:2:15: img_size 7168 x 7168: the table rope.cos would "
            "have too many numbers, expected fewer than 8388608");
  // Each block's table is small enough, but not all together.
  EXPECT_EQ(failure(R"({"architecture": "vit_large_patch16_rope_mixed_224",
 "model_args": {"img_size": 1024}})"),
            "config.json:2:29: img_size 1024 x 1024: the table rope.15.sin "
            "would have too many numbers, expected fewer than 134217728 in all "
            "such tables");
  for (const char *position : {"sinusoidal", "learned_2d"})
    EXPECT_NE(failure(R"({"model_type": "vitc", "image_size": 65536,
 "patch_size": 1, "width": 64, "heads": 4, "position": ")" +
                      std::string(position) + "\"}")
                  .find("too many numbers"),
              std::string::npos);
  EXPECT_NE(failure(R"({"architecture": "swinv2_cr_tiny_224", "model_args":
 {"img_size": 65536, "patch_size": 1, "window_size": 65536}})")
                .find("too many numbers"),
            std::string::npos);
}

TEST_F(ImportTest, BiasesThatNoKernelAddresses) {
  EXPECT_NE(failure(R"({"model_type": "vitc", "image_size": [32, 65535],
 "patch_size": 7, "width": 48, "heads": 4, "position": "relative"})")
                .find("image_size 32 x 65535: the attention bias"),
            std::string::npos);
}

TEST_F(ImportTest, SizesThatGrowWithTheStages) {
  std::string many = "[1";
  for (int i = 1; i < 12; ++i)
    many += ", 1";
  many += "]";
  EXPECT_NE(failure(R"({"model_type": "swin", "embed_dim": 65536, "depths": )" +
                    many + ", \"num_heads\": " + many + "}")
                .find("embed_dim gives stage 1 131072 channels"),
            std::string::npos);
  EXPECT_NE(failure(R"({"model_type": "swin", "depths": [65536]})")
                .find("between 1 and 512"),
            std::string::npos);
  EXPECT_NE(failure(R"({"model_type": "swin", "depths": [500, 13]})")
                .find("depths has 513 blocks in all, expected at most 512"),
            std::string::npos);
}

TEST_F(ImportTest, ListsThatAreNone) {
  // The number of stages is what a map is shifted by.
  EXPECT_NE(failure(R"({"architecture": "swin_tiny_patch4_window7_224",
 "model_args": {"depths": "many"}})")
                .find("model_args.depths must be a number"),
            std::string::npos);
  EXPECT_NE(failure(R"({"architecture": "swin_tiny_patch4_window7_224",
 "model_args": {"depths": []}})")
                .find("depths has 0 numbers, expected 1 to 16"),
            std::string::npos);
}
