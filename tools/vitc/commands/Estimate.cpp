// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Estimate.h"

#include "library/Library.h"
#include "terminal/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

/// A part, by its data sheet: float32 multiply-adds, and all of its memory,
/// which a core shares with the others.
struct Part {
  StringRef name, description;
  double flopsPerSecond, bytesPerSecond;

  /// No kernel can take less than its arithmetic, nor less than its memory.
  double seconds(double flops, double bytes) const {
    return std::max(flops / flopsPerSecond, bytes / bytesPerSecond);
  }
  bool isBoundByMemory(double flops, double bytes) const {
    return bytes / bytesPerSecond > flops / flopsPerSecond;
  }
};

/// All calls of one kernel in one run of a batch.
struct KernelCost {
  std::string kernel, layer; ///< the layer of the first call
  int64_t calls = 0;
  double flops = 0, bytes = 0; ///< of one call

  double seconds(const Part &part) const {
    return double(calls) * part.seconds(flops, bytes);
  }
};

struct Costs {
  std::string name, target;
  int64_t batch = 1;
  std::vector<KernelCost> kernels; ///< in the order of their first calls

  double seconds(const Part &part) const {
    double sum = 0;
    for (const KernelCost &kernel : kernels)
      sum += kernel.seconds(part);
    return sum;
  }
};

} // namespace

// Peaks are units x lanes x 2 x clock: docs/Targets.md shows the arithmetic.
static const Part parts[] = {
    {"A100", "NVIDIA A100 40 GB, float32 without tensor cores", 19.5e12,
     1555e9},
    {"H100", "NVIDIA H100 SXM, float32 without tensor cores", 66.9e12, 3350e9},
    {"Orin", "NVIDIA Jetson AGX Orin 64 GB, float32", 5.3e12, 204.8e9},
    {"Graviton3", "one core, Neoverse V1 at 2.6 GHz, 4 NEON units", 83.2e9,
     307.2e9},
    {"M1", "one core, Apple Firestorm at 3.2 GHz, 4 NEON units", 102.4e9,
     68.3e9},
    {"Pi 5", "one core, Cortex-A76 at 2.4 GHz, 2 NEON units", 38.4e9, 17.1e9},
};

/// FLOPs and bytes of a step's kernel. A library with several levels lists a
/// kernel once for each, with the level after its name.
static const llvm::json::Object *findKernel(const llvm::json::Array &kernels,
                                            StringRef name) {
  for (const llvm::json::Value &entry : kernels) {
    const llvm::json::Object *kernel = entry.getAsObject();
    StringRef found = kernel ? kernel->getString("name").value_or("") : "";
    if (found.consume_front(name) && (found.empty() || found.front() == '_'))
      return kernel;
  }
  return nullptr;
}

/// Whether a step is one of the level that is looked at: the first that a step
/// which not all levels have names. Their products count the same FLOPs.
static bool isOfLevel(const llvm::json::Object &step, std::string &level) {
  const llvm::json::Array *levels = step.getArray("levels");
  if (!levels || levels->empty())
    return true;
  if (level.empty())
    level = levels->front().getAsString().value_or("").str();
  return llvm::any_of(*levels, [&](const llvm::json::Value &name) {
    return name.getAsString() == StringRef(level);
  });
}

static llvm::Expected<Costs> readCosts(StringRef folder) {
  auto file = findManifest(folder);
  if (!file)
    return file.takeError();
  auto manifest = readManifest(*file);
  if (!manifest)
    return manifest.takeError();
  auto root = readJson(*file);
  if (!root)
    return root.takeError();
  Costs costs{manifest->name, manifest->target, manifest->batch, {}};
  const llvm::json::Value *kernels = root->get("kernels"),
                          *steps = root->get("steps");
  if (!kernels || !kernels->getAsArray() || !steps || !steps->getAsArray())
    return root->error("steps", "kernels and steps must be lists");
  llvm::StringMap<size_t> places;
  std::string level;
  for (const llvm::json::Value &entry : *steps->getAsArray()) {
    const llvm::json::Object *step = entry.getAsObject();
    if (step && !isOfLevel(*step, level))
      continue;
    StringRef name = step ? step->getString("kernel").value_or("") : "";
    const llvm::json::Object *kernel = findKernel(*kernels->getAsArray(), name);
    auto flops = kernel ? kernel->getNumber("flops") : std::nullopt;
    auto bytes = kernel ? kernel->getNumber("bytes") : std::nullopt;
    if (!flops || !bytes)
      return root->error("steps", "the kernel of a step is not listed with its "
                                  "flops and bytes");
    auto [place, isNew] = places.try_emplace(name, costs.kernels.size());
    if (isNew)
      costs.kernels.push_back({name.str(),
                               step->getString("layer").value_or("").str(), 0,
                               *flops, *bytes});
    // A step computes one image, or all of the batch.
    int64_t images = step->getInteger("images").value_or(1);
    if (images != 1 && images != costs.batch)
      return root->error("steps", "a step has " + llvm::Twine(images) +
                                      " images, expected 1 or the batch of " +
                                      llvm::Twine(costs.batch));
    costs.kernels[place->second].calls += costs.batch / images;
  }
  return costs;
}

static void print(const Costs &costs) {
  using Align = Table::Align;
  llvm::raw_ostream &os = out();
  Table legend({{"part", Align::Left},
                {"", Align::Left},
                {"GFLOP/s", Align::Right},
                {"GB/s", Align::Right}});
  std::vector<std::pair<std::string, Align>> head = {
      {"kernel", Align::Left},
      {"first layer", Align::Left},
      {"calls", Align::Right},
      {"MFLOP", Align::Right},
      {"MB", Align::Right}};
  std::vector<std::string> total = {"all", "", "", "", ""};
  for (const Part &part : parts) {
    legend.add({part.name.str(), part.description.str(),
                formatFixed(part.flopsPerSecond / 1e9, 0),
                formatFixed(part.bytesPerSecond / 1e9, 0)});
    head.push_back({part.name.str(), Align::Right});
    total.push_back(formatFixed(1e6 * costs.seconds(part), 1));
  }
  Table table(head);
  for (const KernelCost &kernel : costs.kernels) {
    std::vector<std::string> row = {
        kernel.kernel, terminalText(kernel.layer), std::to_string(kernel.calls),
        formatFixed(kernel.flops / 1e6, 2), formatFixed(kernel.bytes / 1e6, 2)};
    for (const Part &part : parts)
      row.push_back(
          formatFixed(1e6 * kernel.seconds(part), 1) +
          (part.isBoundByMemory(kernel.flops, kernel.bytes) ? " m" : "  "));
    table.add(row);
  }
  for (std::string &cell : llvm::MutableArrayRef(total).drop_front(5))
    cell += "  ";
  table.add(total);
  os << costs.name << " for " << costs.target << ", batch " << costs.batch
     << ": what no part can be faster than, in microseconds of all calls in "
        "one run\n"
     << "a call takes max(FLOPs / peak, bytes / bandwidth); m: memory is the "
        "greater\n\n";
  table.print(os);
  os << "\n";
  legend.print(os);
}

static void printJson(const Costs &costs) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    jsonText(json, "name", costs.name);
    json.attribute("target", costs.target);
    json.attribute("batch", costs.batch);
    json.attributeArray("parts", [&] {
      for (const Part &part : parts)
        json.object([&] {
          json.attribute("name", part.name);
          json.attribute("description", part.description);
          jsonNumber(json, "gflops", part.flopsPerSecond / 1e9);
          jsonNumber(json, "gb_per_s", part.bytesPerSecond / 1e9);
          jsonNumber(json, "us", 1e6 * costs.seconds(part));
        });
    });
    json.attributeArray("kernels", [&] {
      for (const KernelCost &kernel : costs.kernels)
        json.object([&] {
          json.attribute("kernel", kernel.kernel);
          jsonText(json, "layer", kernel.layer);
          json.attribute("calls", kernel.calls);
          jsonNumber(json, "flops", kernel.flops);
          jsonNumber(json, "bytes", kernel.bytes);
          json.attributeArray("parts", [&] {
            for (const Part &part : parts)
              json.object([&] {
                json.attribute("name", part.name);
                jsonNumber(json, "us", 1e6 * kernel.seconds(part));
                json.attribute("bound",
                               part.isBoundByMemory(kernel.flops, kernel.bytes)
                                   ? "memory"
                                   : "arithmetic");
              });
          });
        });
    });
  });
  llvm::outs() << "\n";
}

llvm::Error vitc::tool::printEstimate(StringRef folder, bool asJson) {
  auto costs = readCosts(folder);
  if (!costs)
    return costs.takeError();
  if (asJson)
    printJson(*costs);
  else
    print(*costs);
  return llvm::Error::success();
}
