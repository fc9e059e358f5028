// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/File.h"

#include "TestFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitc;
using namespace vitc::test;

namespace {

std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "cannot be read";
}

class FileTest : public FilesTest {
protected:
  /// The names in the folder: nothing unfinished may be among them.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end;
         it != end && !code; it.increment(code))
      found.push_back(llvm::sys::path::filename(it->path()).str());
    return found;
  }
};

TEST_F(FileTest, WritesAndReplaces) {
  std::string path = at("file");
  EXPECT_FALSE(replaceFile(path, {"one", " ", "two"}));
  EXPECT_EQ(contents(path), "one two");
  EXPECT_FALSE(replaceFile(path, llvm::StringRef("three")));
  EXPECT_EQ(contents(path), "three");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(FileTest, FollowsLinks) {
  ASSERT_FALSE(replaceFile(at("file"), llvm::StringRef("old")));
  ASSERT_EQ(symlink("file", at("link").c_str()), 0);
  EXPECT_FALSE(replaceFile(at("link"), llvm::StringRef("new")));
  EXPECT_EQ(contents(at("file")), "new");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(at("link")));
}

TEST_F(FileTest, ObeysTheUmask) {
  for (mode_t mask : {022, 027, 077}) {
    mode_t before = umask(mask);
    std::string path = at("file" + std::to_string(mask));
    std::string inner = at("folder" + std::to_string(mask)) + "/inner";
    EXPECT_FALSE(replaceFile(path, llvm::StringRef("text")));
    EXPECT_FALSE(createFolders(inner));
    umask(before);
    struct stat status = {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0666u & ~mask);
    ASSERT_EQ(stat(inner.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0777u & ~mask);
  }
}

TEST_F(FileTest, GivesTheReason) {
  EXPECT_EQ(llvm::toString(writeFile("/dev/full", "text")),
            "/dev/full: cannot be written: No space left on device");
  struct stat status = {};
  ASSERT_EQ(stat("/dev/full", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode)); // written to, and not replaced
  EXPECT_EQ(llvm::toString(writeFile(at("no/file"), "text")),
            at("no/file") + ": cannot be written: No such file or directory");
  EXPECT_EQ(llvm::toString(writeFile(at(""), "text")),
            at("") + ": cannot be written: Is a directory");
  EXPECT_TRUE(names().empty());
}

} // namespace
