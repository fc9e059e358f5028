// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc targets`: the processors that vitc compiles for.
#include "Commands.h"
#include "Estimate.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "vitc/TargetInfo/Targets.h"

using namespace vitc;
using namespace vitc::tool;

static void printLevel(llvm::json::OStream &json, const Level &level) {
  json.object([&] {
    json.attribute("name", llvm::StringRef(level.name));
    json.attribute("kernel_target", llvm::StringRef(level.kernelTarget));
    json.attribute("float32_kernels", kernelTarget(level, ElementType::F32));
    json.attributeArray("features", [&] {
      for (const targetinfo::FeatureInfo &info : targetinfo::allFeatures)
        if (level.features.contains(info.set))
          json.value(llvm::StringRef(info.name));
    });
    if (!level.isGpu()) {
      json.attribute("vector_bytes", level.vectorBytes);
      json.attribute("registers", level.registers);
      json.attributeArray("tile", [&] {
        json.value(level.tile.rows);
        json.value(level.tile.columns);
      });
      json.attribute("runs_here", runsHere(level));
    }
  });
}

llvm::Error vitc::tool::targetsCommand(const Invocation &invocation) {
  bool asJson = false;
  std::string estimated;
  Options options("targets", "[options]",
                  "Lists the processors that vitc compiles for, and which of "
                  "them `host` means on this machine.");
  options.text("estimate", "OUT", estimated,
               "instead: how long the kernels of a library, a folder that "
               "`vitc compile` wrote, take at best on well-known parts, from "
               "their FLOPs and bytes (docs/Targets.md)");
  options.flag("json", asJson, "print JSON (docs/CommandLine.md)");
  options.example("vitc compile MODEL -o out --target x86-64-avx2",
                  "compile for one of them");
  options.example("vitc targets --estimate out",
                  "what could it do on other silicon?");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();
  if (!estimated.empty())
    return printEstimate(estimated, asJson);

  const Target *host = nullptr;
  std::string why;
  if (auto found = hostTarget())
    host = *found;
  else
    why = llvm::toString(found.takeError());

  if (asJson) {
    llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
    json.object([&] {
      json.attribute("host", host ? llvm::json::Value(host->name) : nullptr);
      json.attributeArray("targets", [&] {
        for (const Target &target : targets())
          json.object([&] {
            json.attribute("name", target.name);
            json.attribute("summary", target.summary);
            json.attribute("architecture",
                           llvm::StringRef(target.architecture->name));
            json.attribute("native", isHost(*target.architecture));
            json.attribute("host", &target == host);
            json.attribute("device", target.device.empty()
                                         ? llvm::json::Value(nullptr)
                                         : llvm::json::Value(target.device));
            json.attribute("panel", target.panel);
            json.attributeArray("levels", [&] {
              for (const Level &level : target.levels)
                printLevel(json, level);
            });
          });
      });
    });
    llvm::outs() << "\n";
    return llvm::Error::success();
  }
  Table table(
      {{"target", Table::Align::Left}, {"processors", Table::Align::Left}});
  for (const Target &target : targets())
    table.add(
        {target.name, target.summary + (&target == host ? "  <- host" : "")});
  table.print(out());
  if (!host)
    printWarning(why);
  return llvm::Error::success();
}
