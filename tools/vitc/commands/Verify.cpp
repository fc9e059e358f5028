// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc verify`: a compiled library against the reference interpreter.
#include "library/Verify.h"
#include "Commands.h"
#include "terminal/Options.h"

using namespace vitc;
using namespace vitc::tool;

llvm::Error vitc::tool::verifyCommand(const Invocation &invocation) {
  VerifyOptions settings;
  Options options(
      "verify", "OUT [MODEL] [options]",
      "Runs a compiled library and the reference interpreter, which computes "
      "in double precision, on the same noise, and compares every output. "
      "Where they part, it names the first layer that does.");
  options.argument("OUT", settings.folder,
                   "a folder that `vitc compile` wrote");
  options.argument("MODEL", settings.model,
                   "the model it was compiled from; not needed for random "
                   "weights",
                   /*required=*/false);
  options.text("config", "FILE", settings.configPath,
               "the config.json if MODEL is a weights file");
  options.integer(
      "threads", "N", 0, 1024,
      [&](int64_t n) { settings.threads = unsigned(n); },
      "threads of the library (default: one per core)");
  options.flag("json", settings.json, "print JSON (docs/CommandLine.md)");
  options.flag("quiet,q", settings.quiet, "show no progress");
  options.note("An output passes if its largest error is at most 1e-4 of the "
               "spread (standard deviation) of its values, or 1e-6 of the "
               "largest one. Exit code 1 if one "
               "does not.");
  options.example("vitc verify out vit-base-patch16-224/", "check a library");
  options.example("vitc verify tiny",
                  "the manifest has name and seed of random weights");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  auto installation = Installation::find(invocation.program);
  if (!installation)
    return installation.takeError();
  return verifyAndReport(settings, *installation);
}
