// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"
#include "TorchFiles.h"
#include "ZipFiles.h"
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
              {folder, "looked for model.safetensors, ", "*.npz"});
  expectParts(messageOf(openCheckpoint(at("none"))), {"does not exist"});
  expectParts(messageOf(openCheckpoint(write("file", ""))), {"not a folder"});
}

TEST_F(CheckpointTest, OtherFormats) {
  for (const char *name : {"model.onnx", "tf_model.h5", "last.ckpt"}) {
    write(name, "");
    expectParts(
        messageOf(openCheckpoint(folder)),
        {name, "not taken for weights", "save the model as model.safetensors"});
    expectParts(messageOf(openCheckpointFile(at(name))),
                {name, "expected one that ends in .safetensors"});
    llvm::sys::fs::remove(at(name));
  }
}

TEST_F(CheckpointTest, OpensTheOnlyFile) {
  write("b.npz", zipBytes({{"x.npy", npyBytes("<f4", "(1,)", "1234")}}));
  EXPECT_EQ(valueOf(openCheckpoint(folder))->describe(), at("b.npz"));
  write("c.safetensors", small());
  expectParts(messageOf(openCheckpoint(folder)),
              {folder, "several", "\"b.npz\", \"c.safetensors\"", "--config"});
  std::string torch =
      torchBytes(pickleBytes(pickledDict({{"x", pickledFloats("0", {1})}})),
                 {{"0", "1234"}});
  write("pytorch_model.bin", torch);
  EXPECT_EQ(valueOf(openCheckpoint(folder))->describe(),
            at("pytorch_model.bin"));
  write("model.safetensors", small());
  EXPECT_EQ(valueOf(openCheckpoint(folder))->describe(),
            at("model.safetensors"));
  EXPECT_EQ(valueOf(openCheckpointFile(write("x.pt", torch)))->describe(),
            at("x.pt"));
  for (const char *name : {"pytorch_model.bin", "x.pt"})
    llvm::sys::fs::remove(at(name));
  for (int i = 10; i < 40; ++i)
    write("a" + std::to_string(i) + ".npz", "");
  llvm::sys::fs::remove(at("model.safetensors"));
  expectParts(messageOf(openCheckpoint(folder)),
              {"\"a10.npz\"", "\"a17.npz\" and 24 more"});
}

TEST_F(CheckpointTest, GetIntegers) {
  std::unique_ptr<Checkpoint> file = valueOf(openSafetensors(write(
      "m.safetensors",
      safetensorsBytes({
          {"index", "I64", {2, 2}, bytesOf<int64_t>({0, -1, 1ll << 60, 3})},
          {"mask", "BOOL", {2}, {'\0', '\2'}},
          {"weight", "F32", {1}, bytesOf<float>({1})},
      }))));
  EXPECT_EQ(valueOf(file->getIntegers("index", {2, 2})),
            (std::vector<int64_t>{0, -1, 1ll << 60, 3}));
  EXPECT_EQ(valueOf(file->getIntegers("mask", {2})),
            (std::vector<int64_t>{0, 1}));
  expectParts(messageOf(file->getIntegers("index", {4})),
              {"\"index\"", "[2,2]", "expected [4]"});
  expectParts(messageOf(file->getIntegers("weight", {1})),
              {"\"weight\" has the dtype F32, expected I64"});
  expectParts(messageOf(file->get("index", {2, 2})),
              {"\"index\" has the dtype I64, expected F64"});
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
