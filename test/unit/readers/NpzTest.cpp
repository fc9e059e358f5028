// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Checkpoint/Checkpoint.h"

#include "TestFiles.h"
#include "ZipFiles.h"

#include <cstdio>

using namespace vitc;
using namespace vitc::test;

namespace {
class NpzTest : public FilesTest {
protected:
  std::unique_ptr<Checkpoint> open(const std::string &content) const {
    return valueOf(openNpz(write("w.npz", content)));
  }
  std::string failure(const std::string &content) const {
    std::string message = messageOf(openNpz(write("w.npz", content)));
    // Not overwritten: some file systems then wait for the disk.
    std::remove(at("w.npz").c_str());
    expectParts(message, {at("w.npz")});
    return message;
  }
  std::string failure(const std::vector<RawMember> &members) const {
    return failure(zipBytes(members));
  }
  template <typename T>
  static std::vector<T> readAll(const Checkpoint &checkpoint,
                                llvm::StringRef name, int64_t first = 0) {
    const TensorInfo *tensor = checkpoint.find(name);
    std::vector<T> values(tensor->elements() - first);
    checkpoint.read(*tensor, first, llvm::MutableArrayRef<T>(values));
    return values;
  }
  /// Six floats, which are stored or deflated.
  static RawMember six(const std::string &name, bool deflated = false) {
    return {name, npyBytes("<f4", "(2, 3)", bytesOf<float>({1, 2, 3, 4, 5, 6})),
            deflated};
  }
  /// A valid archive with the members "a.npy" (stored) and "b.npy" (deflated).
  static std::string two(bool zip64 = false) {
    return zipBytes({six("a.npy"), six("b.npy", true)}, zip64);
  }
};
} // namespace

TEST_F(NpzTest, Reads) {
  for (bool zip64 : {false, true}) {
    std::unique_ptr<Checkpoint> file = open(
        zipBytes({six("Transformer/encoderblock_0/LayerNorm_0/scale.npy"),
                  six("cls.npy", true),
                  {"step.npy", npyBytes("<i8", "()", bytesOf<int64_t>({-7}))},
                  {"empty.npy", npyBytes("<f4", "(0, 3)", "", true)}},
                 zip64));
    ASSERT_EQ(file->tensors().size(), 4u);
    const TensorInfo &first = file->tensors()[0];
    EXPECT_EQ(first.name, "Transformer/encoderblock_0/LayerNorm_0/scale");
    EXPECT_EQ(first.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(first.place, at("w.npz"));
    EXPECT_EQ(file->describe(), at("w.npz"));
    for (const char *name :
         {"Transformer/encoderblock_0/LayerNorm_0/scale", "cls"})
      EXPECT_EQ(readAll<float>(*file, name, 1),
                (std::vector<float>{2, 3, 4, 5, 6}));
    EXPECT_EQ(valueOf(file->getIntegers("step", {})),
              (std::vector<int64_t>{-7}));
    EXPECT_TRUE(readAll<float>(*file, "empty").empty());
  }
}

TEST_F(NpzTest, AllTypes) {
  std::unique_ptr<Checkpoint> file = open(zipBytes({
      {"f8.npy", npyBytes("<f8", "(1,)", bytesOf<double>({-1e300}))},
      {"f2.npy", npyBytes("<f2", "(1,)", bytesOf<uint16_t>({0xc500}))},
      {"bf.npy", npyBytes("|V2", "(1,)", bytesOf<uint16_t>({0xc2f7}))},
      {"bl.npy", npyBytes("<V2", "(1,)", bytesOf<uint16_t>({0x3f80}))},
      {"i4.npy", npyBytes("<i4", "(1,)", bytesOf<int32_t>({-9}))},
      {"i2.npy", npyBytes("<i2", "(1,)", bytesOf<int16_t>({-300}))},
      {"i1.npy", npyBytes("|i1", "(1,)", bytesOf<int8_t>({-5}))},
      {"u1.npy", npyBytes("|u1", "(1,)", bytesOf<uint8_t>({250}))},
      {"b1.npy", npyBytes("|b1", "(1,)", bytesOf<uint8_t>({1}))},
  }));
  for (auto [name, type, value] : {std::tuple("f8", StoredType::F64, -1e300),
                                   std::tuple("f2", StoredType::F16, -5.0),
                                   std::tuple("bf", StoredType::BF16, -123.5),
                                   std::tuple("bl", StoredType::BF16, 1.0),
                                   std::tuple("i4", StoredType::I32, -9.0),
                                   std::tuple("i2", StoredType::I16, -300.0),
                                   std::tuple("i1", StoredType::I8, -5.0),
                                   std::tuple("u1", StoredType::U8, 250.0),
                                   std::tuple("b1", StoredType::Bool, 1.0)}) {
    EXPECT_EQ(file->find(name)->type, type);
    EXPECT_EQ(readAll<double>(*file, name), std::vector<double>{value});
  }
}

/// NumPy stores a transposed array as it lies in memory and says so.
TEST_F(NpzTest, FortranOrder) {
  std::vector<float> stored(24), rows(24);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        rows[(i * 3 + j) * 4 + k] = i * 100 + j * 10 + k;
        stored[(k * 3 + j) * 2 + i] = i * 100 + j * 10 + k;
      }
  std::unique_ptr<Checkpoint> file = open(
      zipBytes({{"a.npy", npyBytes("<f4", "(2, 3, 4)", bytesOf(stored), true)},
                {"b.npy", npyBytes("<f4", "(24,)", bytesOf(stored), true)}}));
  EXPECT_EQ(readAll<float>(*file, "a"), rows);
  for (int first : {1, 5, 11, 23, 24})
    EXPECT_EQ(readAll<float>(*file, "a", first),
              std::vector<float>(rows.begin() + first, rows.end()));
  EXPECT_EQ(readAll<float>(*file, "b"), stored);
}

/// Written by numpy.savez_compressed of NumPy 2.4:
/// Inputs/make_numpy_npz.py says what.
TEST_F(NpzTest, NumpysOwn) {
  std::unique_ptr<Checkpoint> file =
      valueOf(openNpz(VITC_TEST_INPUTS "/numpy.npz"));
  ASSERT_EQ(file->tensors().size(), 4u);
  std::vector<double> count(12);
  for (int i = 0; i < 12; ++i)
    count[i] = i;
  for (const char *name : {"plain", "block/half", "block/transposed"})
    EXPECT_EQ(readAll<double>(*file, name), count) << name;
  EXPECT_EQ(valueOf(file->getIntegers("index", {2, 2})),
            (std::vector<int64_t>{3, 1, 4, 1}));
}

TEST_F(NpzTest, NoArchive) {
  expectParts(failure(""), {"not a zip archive"});
  expectParts(failure("\x93NUMPY"), {"not a zip archive"});
  expectParts(failure("PK"), {"end record", "cut off"});
  expectParts(failure(zipBytes({})), {"empty, expected arrays"});
  expectParts(messageOf(openNpz(at("none.npz"))), {"No such file"});
}

TEST_F(NpzTest, CutOff) {
  for (bool zip64 : {false, true}) {
    std::string whole = two(zip64);
    for (size_t size = 2; size < whole.size(); ++size)
      expectParts(failure(whole.substr(0, size)), {"end record", "cut off"});
    expectParts(failure(whole + "x"), {"something follows"});
    expectParts(failure(whole.substr(1)), {"not a zip"});
    expectParts(failure(whole.substr(0, 40) + whole.substr(41)),
                {"w.npz"}); // a byte less in the middle
  }
}

TEST_F(NpzTest, Comment) {
  std::string zip = two();
  patch(zip, endRecord(zip) + 20, 5, 2);
  expectParts(failure(zip), {"comment of 5 bytes"});
  // One that is there hides the end record from readers that trust its place.
  expectParts(failure(zip + "12345"), {"something follows"});
}

TEST_F(NpzTest, Names) {
  for (const char *name :
       {"/etc/passwd.npy", "../a.npy", "a/../../b.npy", "a/./b.npy", "..",
        "a//b.npy", "C:a.npy", "a\\b.npy", "a\nb.npy", "\xff.npy"})
    expectParts(failure({six(name)}), {"the member", "the name "});
  expectParts(failure({six(std::string("a\0.npy", 6))}),
              {"\"a\\x00.npy\"", "control character"});
  expectParts(failure({six("")}), {"the name is empty"});
  expectParts(failure({six("a.npy"), six("a.npy")}), {"\"a.npy\" comes twice"});
  expectParts(failure({six("readme.txt")}),
              {"\"readme.txt\" is not an array, expected NAME.npy"});
  expectParts(failure({six(".npy")}), {"expected NAME.npy"});
  // Folders are no members of interest.
  EXPECT_EQ(open(zipBytes({{"f/", ""}, six("f/a.npy")}))->tensors().size(), 1u);
  expectParts(failure({{"f/", "data"}}), {"a folder, but has data"});
  expectParts(failure({{"f/", ""}}), {"is empty"});
}

TEST_F(NpzTest, Overlap) {
  std::string zip = zipBytes({six("a.npy"), six("b.npy")});
  size_t a = centralHead(zip, "a.npy");
  // The first member reaches over the head of the second.
  std::string longer = zip;
  uint64_t size = six("a.npy").data.size();
  for (size_t field : {20, 24})
    patch(longer, a + field, size + 1, 4);
  for (size_t field : {18, 22})
    patch(longer, localHead(zip, "a.npy") + field, size + 1, 4);
  expectParts(failure(longer), {"\"b.npy\"", "overlaps \"a.npy\""});
  // Both are the same: the bomb that quotes one kernel many times.
  std::string same = zip;
  patch(same, centralHead(zip, "b.npy") + 42, 0, 4);
  expectParts(failure(same), {"\"b.npy\"", "is called \"a.npy\""});
}

TEST_F(NpzTest, HeadsContradict) {
  for (auto [field, bytes] :
       {std::pair(6, 2), std::pair(8, 2), std::pair(14, 4), std::pair(18, 4),
        std::pair(22, 4)}) {
    std::string zip = two();
    patch(zip, localHead(zip, "a.npy") + field, 8, bytes);
    expectParts(failure(zip), {"\"a.npy\"", "contradicts"});
  }
  std::string zip = two();
  zip[localHead(zip, "a.npy") + 30] = 'x';
  expectParts(failure(zip), {"\"a.npy\"", "is called \"x.npy\""});
}

TEST_F(NpzTest, Damage) {
  std::string zip = two();
  size_t value = localHead(zip, "b.npy") - 1;
  zip[value] ^= 1;
  expectParts(failure(zip), {"\"a.npy\"", "is damaged", "CRC-32", "expected"});
  zip = two();
  patch(zip, localHead(zip, "b.npy") + 14, 1, 4);
  patch(zip, centralHead(zip, "b.npy") + 16, 1, 4);
  expectParts(failure(zip), {"\"b.npy\"", "CRC-32", "expected 00000001"});
  // Every bit of the deflated data, but for those that fill its last byte.
  zip = two();
  for (size_t at = localHead(zip, "b.npy") + 35;
       at < centralHead(zip, "a.npy") - 1; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = zip;
      damaged[at] ^= 1 << bit;
      expectParts(failure(damaged), {"b"});
    }
}

TEST_F(NpzTest, Method) {
  std::string zip = two();
  patch(zip, centralHead(zip, "a.npy") + 10, 12, 2);
  expectParts(failure(zip), {"\"a.npy\"", "method 12", "stored (0)"});
  zip = two();
  patch(zip, centralHead(zip, "a.npy") + 8, 1, 2);
  expectParts(failure(zip), {"\"a.npy\"", "encrypted"});
  zip = two();
  patch(zip, centralHead(zip, "a.npy") + 8, 1 << 13, 2);
  expectParts(failure(zip), {"\"a.npy\"", "flags are 8192"});
}

/// What a bomb must claim to be one.
TEST_F(NpzTest, SizesThatLie) {
  auto claim = [](uint64_t size) {
    std::string zip = two();
    patch(zip, centralHead(zip, "b.npy") + 24, size, 4);
    patch(zip, localHead(zip, "b.npy") + 22, size, 4);
    return zip;
  };
  uint64_t size = six("b.npy").data.size();
  expectParts(failure(claim(4'000'000'000)),
              {"\"b.npy\"", "cannot inflate to the claimed 4000000000"});
  // Within what deflate can do, but not what the array's head says.
  expectParts(failure(claim(size + 1)),
              {"\"b\"", "needs 24 bytes, but the member has 25"});
  expectParts(failure(claim(size - 1)), {"but the member has 23"});
  expectParts(failure(claim(5)), {"\"b\"", "npy"});
  // An array's head that fits the claim, but not what follows.
  RawMember more = {"b.npy", npyBytes("<f4", "(7,)", bytesOf<float>({1})),
                    true};
  std::string zip = zipBytes({more});
  for (size_t at :
       {centralHead(zip, "b.npy") + 24, localHead(zip, "b.npy") + 22})
    patch(zip, at, more.data.size() + 24, 4);
  expectParts(failure(zip), {"\"b.npy\"", "inflates to", "claimed"});
  more.data = npyBytes("<f4", "(1,)", bytesOf<float>({1, 2}));
  zip = zipBytes({more});
  for (size_t at :
       {centralHead(zip, "b.npy") + 24, localHead(zip, "b.npy") + 22})
    patch(zip, at, more.data.size() - 4, 4);
  expectParts(failure(zip), {"\"b.npy\"", "more than the claimed"});
  // Stored bytes are as many as they are.
  zip = two();
  patch(zip, centralHead(zip, "a.npy") + 24, 1, 4);
  expectParts(failure(zip), {"\"a.npy\"", "stored in"});
}

/// Honest sizes, but far more of them than a file of weights has.
TEST_F(NpzTest, Bomb) {
  RawMember zeros = {
      "", npyBytes("|u1", "(67108864,)", std::string(64 << 20, '\0')), true};
  std::vector<RawMember> members;
  for (const char *name : {"a.npy", "b.npy", "c.npy", "d.npy", "e.npy"}) {
    members.push_back(zeros);
    members.back().name = name;
  }
  expectParts(failure(members),
              {"\"e.npy\"", "335544", "at most", "uncompressed"});
  members.resize(2); // a large constant is fine
  EXPECT_EQ(open(zipBytes(members))->tensors().size(), 2u);
}

TEST_F(NpzTest, Directory) {
  auto end = [](unsigned field, uint64_t value, unsigned bytes) {
    std::string zip = two();
    patch(zip, endRecord(zip) + field, value, bytes);
    return zip;
  };
  expectParts(failure(end(4, 1, 2)), {"one part of several"});
  expectParts(failure(end(8, 1, 2)), {"1 members in this part and 2"});
  expectParts(failure(end(12, 7, 4)), {"central directory of 7 bytes"});
  expectParts(failure(end(16, 0xfffffffe, 4)), {"central directory"});
  expectParts(failure(end(16, 0xffffffff, 4)), {"zip64 record", "none"});
  std::string zip = two();
  patch(zip, endRecord(zip) + 8, 0x00010001, 4);
  expectParts(failure(zip), {"bytes follow the last head"});
  patch(zip, endRecord(zip) + 8, 0x00030003, 4);
  expectParts(failure(zip), {"cannot hold 3 members"});
  zip = two();
  zip[centralHead(zip, "a.npy")] = 'Q';
  expectParts(failure(zip), {"no head of a member at byte"});
  zip = two();
  patch(zip, centralHead(zip, "b.npy") + 28, 9999, 2);
  expectParts(failure(zip), {"leaves the central directory"});
  zip = two();
  patch(zip, centralHead(zip, "a.npy") + 34, 1, 2);
  expectParts(failure(zip), {"another part"});
  for (uint64_t offset : {1ull, 0xfffffffeull}) {
    zip = two();
    patch(zip, centralHead(zip, "a.npy") + 42, offset, 4);
    expectParts(failure(zip), {"\"a.npy\"", "byte " + std::to_string(offset)});
  }
  zip = two();
  for (size_t at :
       {centralHead(zip, "a.npy") + 20, localHead(zip, "a.npy") + 18})
    for (size_t next : {0, 4})
      patch(zip, at + next, 1 << 20, 4);
  expectParts(failure(zip), {"\"a.npy\"", "do not fit"});
}

TEST_F(NpzTest, Zip64ThatLies) {
  auto damaged = [](size_t (*place)(const std::string &), size_t field,
                    uint64_t value) {
    std::string zip = two(/*zip64=*/true);
    patch(zip, place(zip) + field, value, 8);
    return zip;
  };
  for (size_t field : {4, 24, 32, 40, 48})
    for (uint64_t value : {0ull, 1ull << 32, ~0ull})
      expectParts(failure(damaged(end64Record, field, value)), {"zip"});
  auto locator = [](const std::string &zip) { return end64Record(zip) + 56; };
  for (uint64_t value : {0ull, 1ull << 40, ~0ull})
    expectParts(failure(damaged(locator, 8, value)), {"locator"});
  auto central = [](const std::string &zip) {
    return centralHead(zip, "a.npy") + 46 + 5; // its extra field
  };
  for (size_t field : {4, 12, 20}) // size, stored size, offset
    for (uint64_t value : {1ull << 32, 1ull << 62, ~0ull})
      expectParts(failure(damaged(central, field, value)), {"\"a.npy\""});
  auto local = [](const std::string &zip) {
    return localHead(zip, "a.npy") + 30 + 5;
  };
  expectParts(failure(damaged(local, 4, 1)), {"contradicts"});

  std::string zip = two(true);
  patch(zip, endRecord(zip) + 10, 0x00010001, 2);
  patch(zip, endRecord(zip) + 8, 1, 2);
  expectParts(failure(zip), {"contradict each other"});
  zip = two(true);
  patch(zip, central(zip), 7, 2);
  expectParts(failure(zip), {"refers to a zip64 field, but has none"});
  zip = two(true);
  patch(zip, central(zip) + 2, 4, 2);
  expectParts(failure(zip), {"too short"});
  zip = two(true);
  patch(zip, central(zip) + 2, 99, 2);
  expectParts(failure(zip), {"extra fields are cut off"});
}

TEST_F(NpzTest, Arrays) {
  auto array = [&](const std::string &descr, const std::string &shape,
                   const std::string &data) {
    return failure({{"x/y.npy", npyBytes(descr, shape, data)}});
  };
  expectParts(
      array("<f4", "(3,)", "1234"),
      {"the array \"x/y\"", "[3] of F32 needs 12 bytes", "the member has 4"});
  expectParts(array("<f4", "(4611686018427387904, 4)", "1234"), {"overflows"});
  expectParts(array("<f4", "(0, 4611686018427387904, 4)", ""), {"overflows"});
  expectParts(array("<f4", "(-1,)", "1234"), {"whole numbers"});
  expectParts(array(">f4", "(1,)", "1234"), {"big-endian"});
  expectParts(array("|O", "(1,)", "1234"), {"Python objects"});
  expectParts(array("<c8", "(1,)", "12345678"),
              {"\"<c8\"", "'|V2' (bfloat16)"});
  expectParts(failure({{"a.npy", "no array"}}), {"\"a\"", "not a .npy file"});
  expectParts(failure({{"a.npy", ""}}), {"\"a\"", "not a .npy file"});
  std::string head = npyBytes("<f4", "(1,)" + std::string(20'000, ' '), "1234");
  for (bool deflated : {false, true})
    expectParts(failure({{"a.npy", head, deflated}}), {"head says it has 20"});
}

TEST_F(NpzTest, IntegersUnderTimmsNames) {
  auto integers = [](const std::string &name) {
    return RawMember{name + ".npy", npyBytes("<i8", "(2, 1, 1)",
                                             bytesOf<int64_t>({7, INT64_MAX}))};
  };
  const std::string attention =
      "Transformer/encoderblock_0/MultiHeadDotProductAttention_1/";
  std::vector<RawMember> members = {
      six("embedding/kernel.npy"), integers("index"),
      integers(attention + "query/kernel"), integers(attention + "key/kernel"),
      integers(attention + "value/kernel")};
  auto adapt = [&] { return adaptJaxCheckpoint(open(zipBytes(members))); };
  std::unique_ptr<Checkpoint> file = valueOf(adapt());
  EXPECT_EQ(valueOf(file->getIntegers("index", {2, 1, 1})),
            (std::vector<int64_t>{7, INT64_MAX}));
  EXPECT_EQ(valueOf(file->getIntegers("blocks.0.attn.qkv.weight", {3, 2})),
            (std::vector<int64_t>{7, INT64_MAX, 7, INT64_MAX, 7, INT64_MAX}));
  EXPECT_EQ(readAll<int64_t>(*file, "blocks.0.attn.qkv.weight", 5),
            (std::vector<int64_t>{INT64_MAX}));

  members[3].data = npyBytes("<f4", "(2, 1, 1)", bytesOf<float>({1, 2}));
  expectParts(messageOf(adapt()), {"key/kernel\" is F32, expected I64 as"});
  for (RawMember &member : members)
    if (member.name.find(attention) == 0)
      member.data = npyBytes("|u1", "(0, 4611686018427387904, 1)", "");
  expectParts(messageOf(adapt()), {"expected no axis of 0"});
}
