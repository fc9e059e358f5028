// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Npy.h"

#include "TestFiles.h"

#include <cstring>
#include <fstream>

using namespace vitc;
using namespace vitc::test;

namespace {
class NpyTest : public FilesTest {
protected:
  static std::string npy(const std::string &head, const std::string &data,
                         int major = 1) {
    std::string result = "\x93NUMPY";
    result += {char(major), '\0'};
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
      result += char(head.size() >> (8 * i));
    return result + head + data;
  }
  static std::string head(const std::string &type, const std::string &shape,
                          const std::string &fortran = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + fortran +
           ", 'shape': " + shape + ", }      \n";
  }
  std::string failure(const std::string &content) const {
    return messageOf(readNpy(write("a.npy", content)));
  }
  NpyArray read(const std::string &content) const {
    return valueOf(readNpy(write("a.npy", content)));
  }
};
} // namespace

TEST_F(NpyTest, RoundTrip) {
  std::vector<float> data = {1, -2.5f, 3e-40f, 4, 5, 6};
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{2, 3}, {6}, {1, 6, 1}}) {
    ASSERT_FALSE(bool(writeNpy(at("a.npy"), shape, data)));
    NpyArray array = valueOf(readNpy(at("a.npy")));
    EXPECT_EQ(array.type, NpyArray::Type::F32);
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.elements(), 6);
    ASSERT_EQ(array.data.size(), 24u);
    EXPECT_EQ(memcmp(array.data.data(), data.data(), 24), 0);
  }
  ASSERT_FALSE(bool(writeNpy(at("a.npy"), {}, {7.0f})));
  EXPECT_TRUE(valueOf(readNpy(at("a.npy"))).shape.empty());
  ASSERT_FALSE(bool(writeNpy(at("a.npy"), {0, 4}, {})));
  EXPECT_EQ(valueOf(readNpy(at("a.npy"))).elements(), 0);
}

TEST_F(NpyTest, WriteFailsWithoutLeavingAFile) {
  std::string path = at("no/such/folder/a.npy");
  llvm::Error error = writeNpy(path, {1}, {1.0f});
  ASSERT_TRUE(bool(error));
  expectParts(llvm::toString(std::move(error)), {path, "cannot write"});
}

TEST_F(NpyTest, TypesAndVersions) {
  EXPECT_EQ(read(npy(head("|u1", "(2,)"), "ab")).type, NpyArray::Type::U8);
  EXPECT_EQ(read(npy(head("<f8", "(1,)"), std::string(8, 0), 2)).type,
            NpyArray::Type::F64);
  EXPECT_EQ(read(npy(head("<i8", "()"), std::string(8, 0), 3)).type,
            NpyArray::Type::I64);
}

TEST_F(NpyTest, NotNpy) {
  expectParts(failure(""), {"a.npy", "not a .npy file"});
  expectParts(failure("PK\x03\x04"), {"not a .npy file"});
  expectParts(failure("\x93NUMPY"), {"cut off"});
  expectParts(failure(std::string("\x93NUMPY\2\0\1\0", 10)), {"cut off"});
  expectParts(failure(std::string("\x93NUMPY\4\0\1\0aaaa", 14)),
              {"4.0", "3.0"});
}

TEST_F(NpyTest, HeadLongerThanFile) {
  std::string content = npy(head("<f4", "(1,)"), "");
  content[8] = '\xff';
  content[9] = '\xff';
  expectParts(failure(content), {"65535", "follow"});
}

TEST_F(NpyTest, WrongHeads) {
  for (const char *bad :
       {"", "{", "[]", "{'descr': '<f4'}", "{'descr' '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"})
    expectParts(failure(npy(bad, "1234")), {"a.npy", "not a valid .npy head"});
}

TEST_F(NpyTest, ObjectType) {
  expectParts(failure(npy(head("|O", "(1,)"), "12345678")),
              {"Python objects", "|O", "<f4"});
}

TEST_F(NpyTest, BigEndian) {
  expectParts(failure(npy(head(">f4", "(1,)"), "1234")), {"big-endian", ">f4"});
}

TEST_F(NpyTest, OtherType) {
  expectParts(failure(npy(head("<c8", "(1,)"), "12345678")), {"<c8", "<f4"});
}

TEST_F(NpyTest, FortranOrder) {
  expectParts(failure(npy(head("<f4", "(1,)", "True"), "1234")),
              {"Fortran order", "ascontiguousarray"});
}

TEST_F(NpyTest, ShapeOverflows) {
  expectParts(failure(npy(head("<f4", "(4294967296, 4294967296)"), "1234")),
              {"more elements"});
  expectParts(failure(npy(head("<f4", "(4294967296, 4294967296, 0)"), "")),
              {"more elements"});
  expectParts(failure(npy(head("<f4", "(99999999999999999999,)"), "1234")),
              {"whole numbers"});
  std::string axes = "(";
  for (int i = 0; i < 65; ++i)
    axes += "1,";
  expectParts(failure(npy(head("<f4", axes + ")"), "1234")), {"64 axes"});
}

TEST_F(NpyTest, TruncatedOrTooLong) {
  expectParts(failure(npy(head("<f4", "(1000000000,)"), "1234")),
              {"4000000000", "4 follow"});
  expectParts(failure(npy(head("<f4", "(1,)"), "12345")), {"5 follow"});
}
