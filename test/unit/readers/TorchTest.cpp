// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"
#include "TorchFiles.h"
#include "ZipFiles.h"

#include <cstdio>
#include <unistd.h>

using namespace vitc;
using namespace vitc::test;

namespace {
class TorchTest : public FilesTest {
protected:
  std::unique_ptr<Checkpoint> open(const std::string &content) const {
    return valueOf(openTorch(write("w.pth", content)));
  }
  std::string failure(const std::string &content) const {
    std::string message = messageOf(openTorch(write("w.pth", content)));
    // Not overwritten: some file systems then wait for the disk.
    std::remove(at("w.pth").c_str());
    expectParts(message, {at("w.pth")});
    return message;
  }
  /// A checkpoint whose value is made by `value`, with a storage "0" of six.
  static std::string file(const std::string &value) {
    return torchBytes(pickleBytes(value),
                      {{"0", bytesOf<float>({1, 2, 3, 4, 5, 6})}});
  }
  /// The same for a state dict with the tensor "t".
  std::string tensorFailure(const std::string &tensor) const {
    return failure(file(pickledDict({{"t", tensor}})));
  }
  std::string viewFailure(const RawView &view) const {
    return tensorFailure(pickledTensor(view));
  }
  template <typename T>
  static std::vector<T> readAll(const Checkpoint &checkpoint,
                                llvm::StringRef name) {
    const TensorInfo *tensor = checkpoint.find(name);
    if (!tensor) {
      ADD_FAILURE() << name.str();
      return {};
    }
    std::vector<T> values(tensor->elements());
    checkpoint.read(*tensor, 0, llvm::MutableArrayRef<T>(values));
    return values;
  }
  static std::string names(const Checkpoint &checkpoint) {
    std::string result;
    for (const TensorInfo &tensor : checkpoint.tensors())
      result += tensor.name + " ";
    return result;
  }
};
} // namespace

TEST_F(TorchTest, Reads) {
  std::unique_ptr<Checkpoint> checkpoint =
      open(file(pickledOrderedDict({{"b", pickledFloats("0", {2, 3})},
                                    {"a.weight", pickledFloats("0", {6})}})));
  EXPECT_EQ(names(*checkpoint), "a.weight b ");
  EXPECT_EQ(checkpoint->find("b")->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(checkpoint->find("b")->place, at("w.pth"));
  EXPECT_EQ(checkpoint->describe(), at("w.pth"));
  EXPECT_EQ(readAll<float>(*checkpoint, "b"),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(TorchTest, AllTypes) {
  struct Case {
    const char *storage;
    StoredType type;
    std::string bytes;
    double value;
  };
  for (const Case &c :
       {Case{"DoubleStorage", StoredType::F64, bytesOf<double>({-1e300}),
             -1e300},
        Case{"HalfStorage", StoredType::F16, bytesOf<uint16_t>({0xc500}), -5},
        Case{"BFloat16Storage", StoredType::BF16, bytesOf<uint16_t>({0xc2f7}),
             -123.5},
        Case{"LongStorage", StoredType::I64, bytesOf<int64_t>({-7}), -7},
        Case{"IntStorage", StoredType::I32, bytesOf<int32_t>({-8}), -8},
        Case{"ShortStorage", StoredType::I16, bytesOf<int16_t>({-9}), -9},
        Case{"CharStorage", StoredType::I8, bytesOf<int8_t>({-5}), -5},
        Case{"ByteStorage", StoredType::U8, bytesOf<uint8_t>({250}), 250},
        Case{"BoolStorage", StoredType::Bool, bytesOf<uint8_t>({1}), 1}}) {
    std::unique_ptr<Checkpoint> checkpoint = open(
        torchBytes(pickleBytes(pickledDict(
                       {{"t", pickledTensor({c.storage, "k", 1, 0, {}, {}})}})),
                   {{"k", c.bytes}}));
    EXPECT_EQ(checkpoint->find("t")->type, c.type);
    EXPECT_EQ(readAll<double>(*checkpoint, "t"), std::vector<double>{c.value});
  }
  expectParts(viewFailure({"ComplexFloatStorage", "0", 3, 0, {3}, {1}}),
              {"\"torch.ComplexFloatStorage\""});
}

/// Slices, transposed and tied tensors are views of one storage.
TEST_F(TorchTest, Views) {
  std::unique_ptr<Checkpoint> checkpoint = open(file(pickledDict({
      {"slice", pickledTensor({"FloatStorage", "0", 6, 2, {3}, {1}})},
      {"transposed",
       pickledTensor({"FloatStorage", "0", 6, 0, {3, 2}, {1, 3}})},
      {"column", pickledTensor({"FloatStorage", "0", 6, 1, {2}, {3}})},
      {"one", pickledTensor({"FloatStorage", "0", 6, 5, {1, 1}, {999, 77}})},
      {"same", pickledTensor({"FloatStorage", "0", 6, 3, {2, 2}, {0, 1}})},
      {"none", pickledTensor({"FloatStorage", "0", 6, 6, {0, 4}, {4, 1}})},
  })));
  EXPECT_EQ(readAll<float>(*checkpoint, "slice"),
            (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(readAll<float>(*checkpoint, "transposed"),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(readAll<float>(*checkpoint, "column"), (std::vector<float>{2, 5}));
  EXPECT_EQ(readAll<float>(*checkpoint, "one"), (std::vector<float>{6}));
  EXPECT_EQ(readAll<float>(*checkpoint, "same"),
            (std::vector<float>{4, 5, 4, 5}));
  EXPECT_TRUE(readAll<float>(*checkpoint, "none").empty());
}

TEST_F(TorchTest, ViewsOutsideTheStorage) {
  auto view = [&](int64_t elements, int64_t offset, std::vector<int64_t> shape,
                  std::vector<int64_t> strides) {
    return viewFailure({"FloatStorage", "0", elements, offset, shape, strides});
  };
  constexpr int64_t huge = INT64_MAX;
  expectParts(view(6, 0, {7}, {1}),
              {"the tensor \"t\"", "[7]", "storage of 6 elements"});
  expectParts(view(6, 1, {2, 3}, {3, 1}), {"from element 1", "leaves"});
  expectParts(view(6, 7, {0}, {1}), {"leaves"});
  expectParts(view(6, 0, {2}, {huge}), {"leaves"});
  expectParts(view(6, 0, {2, 2}, {huge, huge}), {"leaves"});
  expectParts(view(6, huge, {2}, {1}), {"leaves"});
  expectParts(view(6, 0, {huge, 2}, {0, 0}), {"overflows"});
  expectParts(view(6, 0, {0, huge, 2}, {0, 0, 0}), {"overflows"});
  expectParts(view(6, 0, {1 << 30}, {0}), {"more elements", "contiguous()"});
  expectParts(view(6, -1, {1}, {1}), {"element -1"});
  expectParts(view(6, 0, {-1}, {1}), {"shape", "whole numbers"});
  expectParts(view(6, 0, {2}, {-1}), {"strides", "whole numbers"});
  expectParts(view(6, 0, {2}, {1, 1}), {"as many whole numbers"});
  expectParts(
      view(6, 0, std::vector<int64_t>(33, 1), std::vector<int64_t>(33, 1)),
      {"at most 32"});
  // The storage itself.
  expectParts(view(7, 0, {7}, {1}),
              {"\"0\" has 24 bytes", "7 elements of F32"});
  expectParts(view(huge, 0, {huge / 8}, {1}), {"24 bytes"});
  expectParts(view(-1, 0, {1}, {1}), {"not described by"});
  expectParts(viewFailure({"DoubleStorage", "0", 6, 0, {6}, {1}}),
              {"24 bytes", "6 elements of F64"});
  expectParts(viewFailure({"FloatStorage", "1", 6, 0, {6}, {1}}),
              {"storage \"1\" is missing", "\"archive/data/1\""});
  expectParts(viewFailure({"FloatStorage", "../version", 6, 0, {6}, {1}}),
              {"is missing"});
}

TEST_F(TorchTest, TensorsThatAreNone) {
  auto rebuild = [&](const std::string &arguments) {
    return tensorFailure(pickledCall(
        pickledGlobal("torch._utils", "_rebuild_tensor_v2"), arguments));
  };
  expectParts(rebuild(""), {"\"t\"", "not described by"});
  expectParts(rebuild("NNNN"), {"not described by"});
  expectParts(rebuild("NQK\1))"), {"storage is not described"});
  expectParts(rebuild("(NNNNNtQK\1))"), {"storage is not described"});
  expectParts(rebuild("(" + pickledString("module") +
                      pickledGlobal("torch", "FloatStorage") +
                      pickledString("0") + "NK\6tQK\1))"),
              {"storage is not described"});
  auto parameter = [](const std::string &arguments) {
    return pickledCall(pickledGlobal("torch._utils", "_rebuild_parameter"),
                       arguments);
  };
  expectParts(tensorFailure(parameter("")), {"of no tensor"});
  expectParts(tensorFailure(parameter(parameter("N"))), {"of no tensor"});
  std::unique_ptr<Checkpoint> good = open(file(pickledDict(
      {{"t", parameter(pickledFloats("0", {6}) + "\x88" +
                       pickledCall(pickledGlobal("collections", "OrderedDict"),
                                   ""))}})));
  EXPECT_EQ(good->find("t")->shape, std::vector<int64_t>{6});
}

/// The order in which timm looks for the weights.
TEST_F(TorchTest, StateDictInACheckpoint) {
  auto inner = [](const char *name) {
    return pickledOrderedDict({{name, pickledFloats("0", {6})}});
  };
  PickledItems items = {
      {"epoch", "K\7"},
      {"lr", "G\1\2\3\4\5\6\7\10"},
      {"arch", pickledString("vit")},
      {"flag", "\x88"},
      {"nothing", "N"},
      {"list", "](K\1K\2e"},
      {"device",
       pickledCall(pickledGlobal("torch", "device"), pickledString("cpu"))},
      {"dtype", pickledGlobal("torch", "float32")},
      {"size", pickledCall(pickledGlobal("torch", "Size"), "(K\1K\2t")},
      {"seed", std::string("\x8a\x0c") + "123456789012"},
      {"optimizer",
       pickledDict({{"state", "}K\1" + pickledFloats("missing", {4}) + "s"}})},
      {"model", inner("plain")},
  };
  EXPECT_EQ(names(*open(file(pickledDict(items)))), "plain ");
  for (const char *name : {"state_dict", "model_ema", "state_dict_ema"}) {
    items.insert(items.begin(), {name, inner(name)});
    EXPECT_EQ(names(*open(file(pickledDict(items)))), name + std::string(" "));
  }
  items = {{"model_ema", "N"}, {"model", inner("plain")}};
  EXPECT_EQ(names(*open(file(pickledDict(items)))), "plain ");
  // Beside the tensors of a state dict, other values.
  items = {{"t", pickledFloats("0", {6})}, {"_extra_state", "N"}};
  EXPECT_EQ(names(*open(file(pickledDict(items)))), "t ");
}

TEST_F(TorchTest, NoStateDict) {
  expectParts(failure(file("N")), {"does not hold a dictionary"});
  expectParts(failure(file(pickledFloats("0", {6}))), {"a single tensor"});
  expectParts(failure(file("}")), {"no tensors at its top", "has nothing"});
  expectParts(failure(file(pickledDict({{"teacher", "}"}, {"epoch", "K\1"}}))),
              {"state_dict_ema", "model", "\"teacher\", \"epoch\""});
  expectParts(failure(file(pickledDict({{"model", "}"}}))),
              {"\"model\" holds no tensors"});
  expectParts(failure(file("}K\1" + pickledFloats("0", {6}) + "s")),
              {"name is not a string"});
  expectParts(failure(file(pickledDict({{"t", pickledFloats("0", {6})},
                                        {"t", pickledFloats("0", {6})}}))),
              {"\"t\" comes twice"});
  // A dictionary that holds itself.
  expectParts(failure(file("}q\1" + pickledString("a") + "h\1s")),
              {"no tensors", "\"a\""});
}

TEST_F(TorchTest, Prefixes) {
  auto names = [&](const std::string &first, const std::string &second) {
    return TorchTest::names(
        *open(file(pickledDict({{first, pickledFloats("0", {6})},
                                {second, pickledFloats("0", {6})}}))));
  };
  EXPECT_EQ(names("module.a", "module.b"), "a b ");
  EXPECT_EQ(names("_orig_mod.module.a", "_orig_mod.module.b"), "a b ");
  EXPECT_EQ(names("module.a", "a"), "a module.a ");
}

/// What an attack looks like: the names are refused before anything is done.
TEST_F(TorchTest, Code) {
  for (auto [module, name] :
       {std::pair("os", "system"), std::pair("posix", "system"),
        std::pair("builtins", "eval"), std::pair("__builtin__", "exec"),
        std::pair("argparse", "Namespace"), std::pair("torch", "load"),
        std::pair("torch._utils", "_rebuild_tensor_v2.__globals__"),
        std::pair("numpy.core.multiarray", "_reconstruct")}) {
    std::string callee = pickledGlobal(module, name);
    std::string command = pickledString("touch " + at("run"));
    std::string wanted = std::string("\"") + module + "." + name + "\"";
    for (const std::string &value :
         {pickledCall(callee, command),
          pickledDict({{"model", pickledDict({{"t", pickledFloats("0", {6})}})},
                       {"args", pickledCall(callee, command)}}),
          // The protocols since 4 take the name from the stack.
          pickledCall(pickledString(module) + pickledString(name) + "\x93",
                      command)})
      expectParts(failure(file(value)), {"archive/data.pkl: at byte ", wanted,
                                         "is ever run", "state_dict()"});
    EXPECT_NE(access(at("run").c_str(), F_OK), 0);
  }
  expectParts(
      failure(file("}" + pickledCall(pickledGlobal("os", "system"), ""))),
      {"at byte 3:"});
}

TEST_F(TorchTest, Instructions) {
  auto pickle = [&](const std::string &bytes) {
    return failure(torchBytes(bytes, {}));
  };
  expectParts(pickle(""), {"not a pickle"});
  expectParts(pickle("N."), {"not a pickle"});
  expectParts(pickle("\x80\x01N."), {"protocol is 1"});
  expectParts(pickle("\x80\x06N."), {"protocol is 6"});
  expectParts(pickle("\x80\x02N"), {"at byte 3", "cut off"});
  expectParts(pickle("\x80\x02."), {"leaves 0 values"});
  expectParts(pickle("\x80\x02NN."), {"leaves 2 values"});
  expectParts(pickle("\x80\x02(N."), {"leaves 1 values"});
  expectParts(pickle("\x80\x02N.N"), {"1 bytes follow the pickle"});
  for (const char *missing : {"a", "s", "u", "e", "t", "\x85", "\x87", "R", "b",
                              "Q", "q\1", "\x94", "\x93", "(\x85", "N(s"})
    expectParts(failure(file(missing)), {"at byte", "the pickle "});
  for (const char *cut :
       {"K", "M\1", "J\1\1\1", "G\1", "X\1\1", "\x8c\5a", "X\xff\xff\xff\xff",
        "\x8a\xff", "cos", "cos\nsystem", "j\1", "\x95\1"})
    expectParts(pickle("\x80\x02" + std::string(cut)), {"cut off"});
  expectParts(failure(file("h\5")), {"value 5", "not made"});
  expectParts(failure(file("NNa")), {"takes nothing"});
  expectParts(failure(file("](K\1u")), {"key without a value"});
  expectParts(failure(file("](K\1K\1u")), {"takes nothing"});
  expectParts(failure(file("N)R")), {"calls something else"});
  expectParts(failure(file("NNb")), {"has none"});
  expectParts(failure(file("NN\x93")), {"something else than strings"});
  expectParts(failure(file("X\1" + std::string("\0\0\0\xff", 4))), {"UTF-8"});
  // Instructions that make instances, and some of old protocols.
  for (const char *other :
       {"\x81", "\x92", "i", "o", "P1\n", "I1\n", "\x82\1", "\x97", "0", "2"})
    expectParts(failure(file(other)), {"the instruction 0x"});
}

/// Protocol 4 has frames and a memo without numbers.
TEST_F(TorchTest, Protocol4) {
  std::string frame = "\x95";
  append(frame, 99, 8);
  std::string key = "\x8c\1t";
  std::unique_ptr<Checkpoint> checkpoint =
      open(torchBytes("\x80\x04" + frame + "}\x94" + key + "\x94" +
                          pickledFloats("0", {6}) + "s.",
                      {{"0", bytesOf<float>({1, 2, 3, 4, 5, 6})}}));
  EXPECT_EQ(names(*checkpoint), "t ");
}

TEST_F(TorchTest, ManyValues) {
  expectParts(failure(file(std::string(1'000'001, 'N'))),
              {"more than 1000000 values"});
  std::string references = "]q\1";
  for (int i = 0; i < 1'000'001; ++i)
    references += "h\1";
  expectParts(failure(file(references)), {"more than 1000000 values"});
  expectParts(failure(torchBytes(std::string((16 << 20) + 1, 'N'), {})),
              {"data.pkl has 16777217 bytes"});
  // Depth costs nothing.
  std::string deep(500'000, ']');
  deep += std::string(499'999, 'a');
  expectParts(failure(file(deep)), {"does not hold a dictionary"});
}

TEST_F(TorchTest, Archives) {
  std::string pickle =
      pickleBytes(pickledDict({{"t", pickledFloats("0", {1})}}));
  auto archive = [&](std::vector<RawMember> members) {
    return failure(zipBytes(members));
  };
  expectParts(archive({{"a/x", ""}}), {"0 members NAME/data.pkl"});
  expectParts(archive({{"data.pkl", pickle}}), {"0 members"});
  expectParts(archive({{"a/data.pkl", pickle}, {"b/data.pkl", pickle}}),
              {"2 members"});
  expectParts(archive({{"a/data.pkl", pickle}, {"a/constants.pkl", ""}}),
              {"TorchScript", "state_dict()"});
  expectParts(archive({{"a/data.pkl", pickle}, {"a/byteorder", "big"}}),
              {"byteorder is \"big\""});
  expectParts(
      archive(
          {{"a/data.pkl", pickle}, {"a/data/0", "1234"}, {"../../root", ""}}),
      {"\"../../root\"", "leads elsewhere"});
  std::string damaged = file(pickledDict({{"t", pickledFloats("0", {6})}}));
  damaged[damaged.find(bytesOf<float>({1, 2, 3, 4, 5, 6}))] ^= 1;
  expectParts(failure(damaged), {"\"archive/data/0\"", "CRC-32"});
  // Packed again by somebody.
  EXPECT_EQ(names(*open(zipBytes({{"a/", ""},
                                  {"a/data.pkl", pickle, true},
                                  {"a/data/0", "1234", true}}))),
            "t ");
}

TEST_F(TorchTest, NoCheckpoint) {
  expectParts(failure(""), {"neither a zip archive nor a pickle"});
  expectParts(failure("version https://git-lfs"), {"neither"});
  expectParts(failure("\x80\x04}."), {"torch.save did not write"});
  expectParts(failure("PK"), {"cut off"});
  expectParts(messageOf(openTorch(at("none.pth"))), {"No such file"});
}

/// The count of a storage's elements and its floats.
static std::string counted(const std::vector<float> &values) {
  return bytesOf<int64_t>({int64_t(values.size())}) + bytesOf(values);
}

TEST_F(TorchTest, BeforeZip) {
  std::string pickle = pickleBytes(pickledDict(
      {{"a", pickledFloats("7", {3})}, {"b", pickledFloats("8", {2})}}));
  RawStorages storages = {{"8", counted({4, 5})}, {"7", counted({1, 2, 3})}};
  std::string whole = oldTorchBytes(pickle, storages);
  std::unique_ptr<Checkpoint> checkpoint = open(whole);
  EXPECT_EQ(readAll<float>(*checkpoint, "a"), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(readAll<float>(*checkpoint, "b"), (std::vector<float>{4, 5}));

  for (size_t size = 0; size < whole.size(); ++size)
    failure(whole.substr(0, size));
  expectParts(failure(whole + "x"), {"1 bytes follow the last storage"});
  auto with = [&](const RawStorages &storages) {
    return failure(oldTorchBytes(pickle, storages));
  };
  expectParts(with({{"7", counted({1, 2, 3})}}), {"\"8\" is missing"});
  expectParts(with({{"9", counted({1})}}), {"that no tensor has"});
  expectParts(with({{"7", counted({1})}}), {"has 1 elements, expected 3"});
  expectParts(with({storages[0], storages[0]}), {"\"8\" comes twice"});
  expectParts(failure(oldTorchBytes(
                  pickleBytes(pickledCall(pickledGlobal("posix", "system"),
                                          pickledString("true"))),
                  {})),
              {"the pickle at byte ", "\"posix.system\""});
  std::string version = whole;
  version[version.find("M\xe9\x03") + 1] ^= 1;
  expectParts(failure(version), {"version is not 1001"});
  std::string order = whole;
  order[order.find("little_endian") + 13] = '\x89';
  expectParts(failure(order), {"big-endian machine"});
}

TEST_F(TorchTest, Shards) {
  for (const char *key : {"a", "b"})
    write(std::string(key) + ".bin",
          torchBytes(pickleBytes(pickledDict({{key, pickledFloats("0", {1})}})),
                     {{"0", bytesOf<float>({2})}}));
  write("pytorch_model.bin.index.json",
        R"({"weight_map": {"a": "a.bin", "b": "b.bin"}})");
  std::unique_ptr<Checkpoint> checkpoint = valueOf(openCheckpoint(folder));
  EXPECT_EQ(names(*checkpoint), "a b ");
  EXPECT_EQ(readAll<float>(*checkpoint, "b"), std::vector<float>{2});
}
