// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The stack of functions whose need is known, for every architecture that
/// there is a compiler for, with and without optimisation.
#include "vitc/Backend/StackUse.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace vitc;

namespace {

/// VITC_TEST_OBJECTS is a list of folders with an object of each input.
std::vector<std::string> folders() {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(VITC_TEST_OBJECTS).split(parts, '|');
  return {parts.begin(), parts.end()};
}

class StackUses : public testing::TestWithParam<std::string> {
protected:
  std::string object(const char *name) const {
    return GetParam() + "/" + name + ".o";
  }
  void add(const char *name) {
    llvm::Expected<size_t> number = use.add(object(name));
    ASSERT_TRUE(bool(number)) << llvm::toString(number.takeError());
  }
  /// At least `bytes`, which the variables take, and little more.
  void expectNeed(const char *function, uint64_t bytes, uint64_t extra = 400) {
    llvm::Expected<uint64_t> need = use.ofFunction(function);
    ASSERT_TRUE(bool(need)) << llvm::toString(need.takeError());
    EXPECT_GE(*need, bytes) << function;
    EXPECT_LE(*need, bytes + extra) << function;
  }

  StackUse use;
};

} // namespace

TEST_P(StackUses, CountFramesAndTheDeepestCall) {
  add("frames");
  expectNeed("leaf", 1000);
  expectNeed("calls", 3000 + 1000);
  expectNeed("aligned", 2048, 2 * 512 + 400);
  expectNeed("branches", 7000 + 3000 + 1000, 600);
  expectNeed("switches", 3000 + 1000);
  expectNeed("pushes", 5 * 8);
  expectNeed("nowhere", 0, 0);
}

TEST_P(StackUses, CountWhatIsReferredTo) {
  add("frames");
  expectNeed("refers", 100 + 5000);
  StackUse both;
  for (const char *name : {"threads", "frames"})
    ASSERT_TRUE(bool(both.add(object(name))));
  llvm::Expected<uint64_t> need = both.ofFunction("refers");
  ASSERT_TRUE(bool(need));
  EXPECT_GE(*need, 100u + 400 + 5000);
  EXPECT_LE(*need, 100u + 400 + 5000 + 600);
}

TEST_P(StackUses, FindTheDeepestFunctionOfAnObject) {
  llvm::Expected<size_t> number = use.add(object("frames"));
  ASSERT_TRUE(bool(number));
  llvm::Expected<uint64_t> need = use.ofObject(*number);
  ASSERT_TRUE(bool(need));
  EXPECT_EQ(*need, llvm::cantFail(use.ofFunction("branches")));
}

TEST_P(StackUses, HaveNoBoundWhereFunctionsCallThemselves) {
  add("recursive");
  llvm::Expected<uint64_t> need = use.ofFunction("second");
  ASSERT_FALSE(bool(need));
  EXPECT_NE(llvm::toString(need.takeError()).find("calls itself"),
            std::string::npos);
}

TEST_P(StackUses, HaveNoBoundWhereAFrameIsVariable) {
  llvm::Expected<size_t> number = use.add(object("variable"));
  ASSERT_FALSE(bool(number));
  std::string message = llvm::toString(number.takeError());
  EXPECT_NE(message.find("variable needs is not known"), std::string::npos)
      << message;
}

TEST_P(StackUses, RefuseOtherFiles) {
  llvm::Expected<size_t> number = use.add(GetParam() + "/no-such-file");
  EXPECT_FALSE(bool(number));
  llvm::consumeError(number.takeError());
}

INSTANTIATE_TEST_SUITE_P(Compilers, StackUses, testing::ValuesIn(folders()),
                         [](const auto &info) {
                           std::string name = info.param.substr(
                               info.param.find_last_of('/') + 1);
                           for (char &c : name)
                             c = llvm::isAlnum(c) ? c : '_';
                           return name;
                         });
