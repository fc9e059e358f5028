// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModelOptions.h"

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

/// "224", "224x160": height, then width.
static llvm::Error parseImageSize(StringRef text, CompileOptions &compile) {
  constexpr int64_t largest = 65536;
  auto [first, second] = text.split('x');
  int64_t height = 0, width = 0;
  bool wrong =
      first.getAsInteger(10, height) ||
      (second.empty() ? text.contains('x') : second.getAsInteger(10, width));
  if (second.empty())
    width = height;
  if (wrong || height < 1 || width < 1 || height > largest || width > largest)
    return userError("--image-size takes HEIGHTxWIDTH or one number for both, "
                     "each from 1 to " +
                     llvm::Twine(largest) + ", not " + inQuotes(text));
  compile.imageSize = {height, width};
  return llvm::Error::success();
}

static llvm::Error parseSeed(StringRef text, CompileOptions &compile) {
  uint64_t seed;
  if (text.getAsInteger(10, seed))
    return userError("--random-weights takes a whole number as its seed, not " +
                     inQuotes(text));
  compile.seed = seed;
  return llvm::Error::success();
}

void vitc::tool::declareImportOptions(Options &options,
                                      CompileOptions &compile) {
  options.text("config", "FILE", compile.configPath,
               "the config.json of a weights file");
  options.value(
      "random-weights", "SEED",
      [&](StringRef text) { return parseSeed(text, compile); },
      "make weights up, for benchmarks");
  options.value(
      "image-size", "HxW",
      [&](StringRef text) { return parseImageSize(text, compile); },
      "another image size than the config's; the position embedding is "
      "resized");
  options.texts("output", "NAME", compile.outputs,
                "an output to compute, e.g. logits, embedding, "
                "last_hidden_state; may be repeated (default: the model's main "
                "output)");
}
