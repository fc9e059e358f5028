// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Zip archives that the tests make for themselves, and places in them to do
/// damage to.
#ifndef VITC_TEST_UNIT_READERS_ZIPFILES_H
#define VITC_TEST_UNIT_READERS_ZIPFILES_H

#include <cstdint>
#include <string>
#include <vector>

namespace vitc::test {

struct RawMember {
  std::string name, data;
  bool deflated = false;
};

/// A valid archive; with `zip64` every number that can stands in a zip64 field.
std::string zipBytes(const std::vector<RawMember> &members, bool zip64 = false);

/// Where the heads of a member start, and the records at the end.
size_t localHead(const std::string &zip, const std::string &name);
size_t centralHead(const std::string &zip, const std::string &name);
size_t endRecord(const std::string &zip);
size_t end64Record(const std::string &zip);

/// Overwrites a number of `bytes` bytes, little-endian.
void patch(std::string &text, size_t at, uint64_t value, unsigned bytes);
void append(std::string &text, uint64_t value, unsigned bytes);

/// The bytes of a .npy file; `shape` as Python spells it: "(2, 3)".
std::string npyBytes(const std::string &descr, const std::string &shape,
                     const std::string &data, bool fortranOrder = false);

} // namespace vitc::test

#endif // VITC_TEST_UNIT_READERS_ZIPFILES_H
