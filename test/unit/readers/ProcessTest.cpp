// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Process.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace vitc;

namespace {

ProcessRequest shell(const char *script) { return {"/bin/sh", {"-c", script}}; }

TEST(ProcessTest, GivesTheOutput) {
  llvm::Expected<std::string> text = runForOutput(shell("echo ' one two '"));
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_EQ(*text, "one two");
}

TEST(ProcessTest, DoesNotWaitForEver) {
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::string> text = runForOutput(shell("sleep 986"), 1);
  ASSERT_FALSE(bool(text));
  llvm::Error error = text.takeError();
  EXPECT_TRUE(error.isA<UserError>()); // the machine's fault
  EXPECT_NE(llvm::toString(std::move(error)).find("did not end within 1 s"),
            std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

} // namespace
