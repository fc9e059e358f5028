// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ZipFiles.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace vitc::test {

void patch(std::string &text, size_t at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    text.at(at + i) = char(value >> (8 * i));
}

void append(std::string &text, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    text += i < sizeof(value) ? char(value >> (8 * i)) : '\0';
}

static std::string deflateRaw(const std::string &data) {
  std::string result(compressBound(data.size()) + 16, '\0');
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY),
            Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
  stream.avail_in = data.size();
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = result.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string zipBytes(const std::vector<RawMember> &members, bool zip64) {
  constexpr uint64_t ones = 0xffffffff;
  std::string zip, directory;
  for (const RawMember &member : members) {
    std::string stored =
        member.deflated ? deflateRaw(member.data) : member.data;
    uint64_t offset = zip.size();
    // Versions, flags, method, time, date, sum, sizes, length of the name:
    // the same in both heads.
    std::string common;
    append(common, zip64 ? 45 : 20, 2);
    append(common, 0, 2);
    append(common, member.deflated ? 8 : 0, 2);
    append(common, 0x00210000, 4);
    append(common,
           crc32(0, reinterpret_cast<const Bytef *>(member.data.data()),
                 member.data.size()),
           4);
    append(common, zip64 ? ones : stored.size(), 4);
    append(common, zip64 ? ones : member.data.size(), 4);
    append(common, member.name.size(), 2);
    std::string sizes;
    append(sizes, member.data.size(), 8);
    append(sizes, stored.size(), 8);

    zip += "PK\x03\x04" + common;
    append(zip, zip64 ? 20 : 0, 2);
    zip += member.name;
    if (zip64) {
      append(zip, 1, 2);
      append(zip, 16, 2);
      zip += sizes;
    }
    zip += stored;

    directory += "PK\x01\x02";
    append(directory, 20, 2);
    directory += common;
    append(directory, zip64 ? 28 : 0, 2);
    append(directory, 0, 2 + 2 + 2 + 4); // comment, disk, attributes
    append(directory, zip64 ? ones : offset, 4);
    directory += member.name;
    if (zip64) {
      append(directory, 1, 2);
      append(directory, 24, 2);
      directory += sizes;
      append(directory, offset, 8);
    }
  }
  uint64_t begin = zip.size();
  zip += directory;
  if (zip64) {
    uint64_t at = zip.size();
    zip += "PK\x06\x06";
    append(zip, 44, 8);
    append(zip, 45, 2);
    append(zip, 45, 2);
    append(zip, 0, 8);
    append(zip, members.size(), 8);
    append(zip, members.size(), 8);
    append(zip, directory.size(), 8);
    append(zip, begin, 8);
    zip += "PK\x06\x07";
    append(zip, 0, 4);
    append(zip, at, 8);
    append(zip, 1, 4);
  }
  zip += "PK\x05\x06";
  append(zip, 0, 4);
  append(zip, zip64 ? 0xffff : members.size(), 2);
  append(zip, zip64 ? 0xffff : members.size(), 2);
  append(zip, zip64 ? ones : directory.size(), 4);
  append(zip, zip64 ? ones : begin, 4);
  append(zip, 0, 2);
  return zip;
}

static size_t headBefore(const std::string &zip, const std::string &name,
                         const std::string &signature, size_t bytes) {
  for (size_t at = zip.find(signature); at != std::string::npos;
       at = zip.find(signature, at + 1))
    if (zip.compare(at + bytes, name.size(), name) == 0)
      return at;
  ADD_FAILURE() << "no head of " << name;
  return 0;
}

size_t localHead(const std::string &zip, const std::string &name) {
  return headBefore(zip, name, "PK\x03\x04", 30);
}

size_t centralHead(const std::string &zip, const std::string &name) {
  return headBefore(zip, name, "PK\x01\x02", 46);
}

size_t endRecord(const std::string &zip) { return zip.rfind("PK\x05\x06"); }

size_t end64Record(const std::string &zip) { return zip.rfind("PK\x06\x06"); }

std::string npyBytes(const std::string &descr, const std::string &shape,
                     const std::string &data, bool fortranOrder) {
  std::string head = "{'descr': '" + descr + "', 'fortran_order': " +
                     (fortranOrder ? "True" : "False") + ", 'shape': " + shape +
                     ", }\n";
  std::string result = "\x93NUMPY\x01";
  append(result, 0, 1);
  append(result, head.size(), 2);
  return result + head + data;
}

} // namespace vitc::test
