#include "vitc/Frontend/Checkpoint.h"

#include "TestFiles.h"
#include "llvm/Support/FileSystem.h"

using namespace vitc;
using namespace vitc::test;

namespace {
class CheckpointTest : public FilesTest {
protected:
  static std::string small() {
    return safetensorsBytes(
        {{"encoder.layer.0.query.weight", "F32", {1, 2}, "12345678"},
         {"head.bias", "F32", {1}, "1234"}});
  }
};
} // namespace

TEST_F(CheckpointTest, OpensTheFile) {
  write("model.safetensors", small());
  write("model.safetensors.index.json", "broken, but not needed");
  std::unique_ptr<Checkpoint> file = valueOf(openCheckpoint(folder));
  EXPECT_EQ(file->tensors().size(), 2u);
}

TEST_F(CheckpointTest, OpensTheIndex) {
  write("x.safetensors", small());
  write("model.safetensors.index.json",
        R"({"weight_map": {"encoder.layer.0.query.weight": "x.safetensors",
                           "head.bias": "x.safetensors"}})");
  EXPECT_EQ(valueOf(openCheckpoint(folder))->tensors().size(), 2u);
}

/// The layout of Hugging Face's cache: names are links to blobs.
TEST_F(CheckpointTest, FollowsLinks) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(at("snapshots/1")));
  ASSERT_FALSE(llvm::sys::fs::create_directory(at("blobs")));
  write("blobs/0123", small());
  ASSERT_FALSE(llvm::sys::fs::create_link("../../blobs/0123",
                                          at("snapshots/1/model.safetensors")));
  EXPECT_EQ(valueOf(openCheckpoint(at("snapshots/1")))->tensors().size(), 2u);
  ASSERT_FALSE(llvm::sys::fs::remove(at("blobs/0123")));
  expectParts(messageOf(openCheckpoint(at("snapshots/1"))),
              {"model.safetensors", "leads to a file that does not exist"});
}

TEST_F(CheckpointTest, NoWeights) {
  expectParts(messageOf(openCheckpoint(folder)),
              {folder, "model.safetensors and model.safetensors.index.json"});
  expectParts(messageOf(openCheckpoint(at("none"))), {"does not exist"});
  expectParts(messageOf(openCheckpoint(write("file", ""))), {"not a folder"});
}

TEST_F(CheckpointTest, OtherFormats) {
  for (const char *name :
       {"weights.npz", "pytorch_model.bin", "checkpoint.pth"}) {
    write(name, "");
    expectParts(messageOf(openCheckpoint(folder)),
                {name, "not read yet", "python", "save_file"});
    llvm::sys::fs::remove(at(name));
  }
}

TEST_F(CheckpointTest, Get) {
  std::unique_ptr<Checkpoint> file =
      valueOf(openSafetensors(write("m.safetensors", small())));
  EXPECT_EQ(valueOf(file->get("head.bias", {1}))->name, "head.bias");
  EXPECT_EQ(file->find("head"), nullptr);
  EXPECT_EQ(file->find("zzz"), nullptr);
  EXPECT_EQ(messageOf(file->get("encoder.layer.0.query.weight", {48, 3, 8, 8})),
            at("m.safetensors") +
                ": the tensor \"encoder.layer.0.query.weight\" has the shape "
                "[1,2], expected [48,3,8,8]");
  expectParts(messageOf(file->get("vit.encoder.layer.0.query.weight", {1, 2})),
              {at("m.safetensors"), "\"vit.encoder.layer.0.query.weight\"",
               "is missing", "nearest name",
               "\"encoder.layer.0.query.weight\""});
  std::string far = messageOf(file->get("patch_embedding", {1}));
  expectParts(far, {"is missing"});
  EXPECT_EQ(far.find("nearest"), std::string::npos);
}
