// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `vitc run`: a compiled library on images or ready tensors, or the
/// reference interpreter on the latter.
#include "Commands.h"
#include "library/Inputs.h"
#include "model/ModelOptions.h"
#include "terminal/Options.h"
#include "terminal/Text.h"

#include "vitc/Support/File.h"
#include "vitc/Support/StagingFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <numeric>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

namespace {

struct RunOptions {
  CompileOptions compile; ///< model: the folder; the rest for the reference
  bool reference = false;
  std::vector<std::string> inputs;
  std::optional<int64_t> top;
  unsigned threads = 0;
  bool json = false;
  std::string saveFolder, labelsFile;
};

struct ClassScore {
  int64_t index;
  double probability;
};

/// Range and mean of an output of one item.
struct Summary {
  double min = 0, max = 0, mean = 0;
};

/// What is shown of one item.
struct ItemResult {
  std::string file, description;
  int64_t index = 0;
  std::vector<ClassScore> top;    ///< best first
  std::vector<Summary> summaries; ///< one for each output
};

/// Feeds the items to the subject, batch by batch, and keeps what was asked
/// for.
class Runner {
public:
  Runner(Runnable &subject, const RunOptions &options);

  llvm::Error run(InputQueue &queue);
  /// Compares the best classes with the labels.
  llvm::Error count();
  llvm::Error save() const;
  void print() const;
  void printJson() const;

private:
  llvm::Error runBatch(llvm::ArrayRef<Item> items);
  void keep(const Item &item, int64_t place);
  std::vector<double> probabilities(llvm::ArrayRef<float> scores) const;
  /// The part of an output that belongs to one item of the batch.
  llvm::ArrayRef<float> part(size_t output, int64_t place) const;
  std::vector<int64_t> itemShape(size_t output) const;
  /// That of all items together. Where windows count as images, those of an
  /// item follow one another.
  std::vector<int64_t> savedShape(size_t output) const;
  std::string label(int64_t index) const;
  int64_t topCount() const;

  Runnable &subject;
  const RunOptions &options;
  OutputBuffers buffers;
  int classOutput; ///< the output with one score per class, or -1
  bool classesAreLogits;
  std::vector<ItemResult> results;
  std::vector<std::vector<float>> saved; ///< all items, one for each output
  std::vector<int64_t> best;             ///< class of each item
  std::optional<int64_t> correct;
};

} // namespace

Runner::Runner(Runnable &subject, const RunOptions &options)
    : subject(subject), options(options), buffers(subject.getModel()),
      saved(subject.outputs().size()) {
  classOutput = subject.findOutput("probabilities");
  classesAreLogits = classOutput < 0;
  if (classesAreLogits)
    classOutput = subject.findOutput("logits");
  if (classOutput >= 0 && subject.outputs()[classOutput].rank != 2)
    classOutput = -1;
}

int64_t Runner::topCount() const {
  // Who counts the right ones does not want to read every one.
  constexpr int64_t usual = 5;
  return options.top.value_or(options.labelsFile.empty() ? usual : 0);
}

std::string Runner::label(int64_t index) const {
  llvm::ArrayRef<std::string> labels = subject.labels();
  return size_t(index) < labels.size() ? labels[index] : "";
}

llvm::ArrayRef<float> Runner::part(size_t output, int64_t place) const {
  size_t size = buffers[output].size() / subject.getModel().batch;
  return buffers[output].slice(place * size, size);
}

std::vector<int64_t> Runner::itemShape(size_t output) const {
  const vitc_output_v2 &info = subject.outputs()[output];
  std::vector<int64_t> shape(info.shape, info.shape + info.rank);
  shape[0] /= subject.getModel().batch;
  if (shape[0] == 1)
    shape.erase(shape.begin());
  return shape;
}

std::vector<int64_t> Runner::savedShape(size_t output) const {
  const vitc_output_v2 &info = subject.outputs()[output];
  std::vector<int64_t> shape(info.shape, info.shape + info.rank);
  shape[0] = shape[0] / subject.getModel().batch * int64_t(results.size());
  return shape;
}

llvm::Error Runner::run(InputQueue &queue) {
  std::vector<Item> batch;
  for (;;) {
    auto item = queue.next();
    if (!item)
      return item.takeError();
    // Images and tensors go through different entries of the library.
    bool turns =
        *item && !batch.empty() && batch.front().isTensor != (*item)->isTensor;
    bool full = int64_t(batch.size()) == subject.getModel().batch;
    if (!batch.empty() && (full || turns || !*item)) {
      if (llvm::Error error = runBatch(batch))
        return error;
      batch.clear();
    }
    if (!*item)
      return llvm::Error::success();
    batch.push_back(std::move(**item));
  }
}

llvm::Error Runner::runBatch(llvm::ArrayRef<Item> items) {
  llvm::Error error = llvm::Error::success();
  if (items.front().isTensor) {
    std::vector<float> pixels;
    pixels.reserve(items.size() * items.front().tensor.size());
    for (const Item &item : items)
      llvm::append_range(pixels, item.tensor);
    error = subject.runTensor(pixels, buffers);
  } else {
    std::vector<vitc_image_v2> images;
    for (const Item &item : items)
      images.push_back(item.image);
    error = subject.run(images, buffers);
  }
  if (error) {
    std::string names = items.front().describe();
    if (items.size() > 1)
      names += " to " + items.back().describe();
    else if (!items.front().isTensor)
      names += " (" + std::to_string(items.front().image.width) + " x " +
               std::to_string(items.front().image.height) + " pixels)";
    return userError(names, llvm::toString(std::move(error)));
  }
  for (size_t i = 0; i < items.size(); ++i)
    keep(items[i], i);
  return llvm::Error::success();
}

std::vector<double> Runner::probabilities(llvm::ArrayRef<float> scores) const {
  std::vector<double> values(scores.begin(), scores.end());
  if (!classesAreLogits)
    return values;
  double largest = *std::max_element(values.begin(), values.end()), sum = 0;
  for (double &value : values)
    sum += value = std::exp(value - largest);
  for (double &value : values)
    value /= sum;
  return values;
}

static Summary summarize(llvm::ArrayRef<float> values) {
  Summary summary = {values.front(), values.front(), 0};
  for (double value : values) {
    // Written so that a NaN, which is neither less nor greater, is kept.
    summary.min = value >= summary.min ? summary.min : value;
    summary.max = value <= summary.max ? summary.max : value;
    summary.mean += value / double(values.size());
  }
  return summary;
}

void Runner::keep(const Item &item, int64_t place) {
  ItemResult result;
  result.file = item.file;
  result.index = item.index;
  result.description = item.describe();
  if (classOutput >= 0) {
    std::vector<double> scores = probabilities(part(classOutput, place));
    std::vector<int64_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    size_t count =
        std::min<size_t>(std::max<int64_t>(1, topCount()), scores.size());
    // Equal scores in the order of their classes; a NaN is last.
    auto better = [&](int64_t a, int64_t b) {
      double x = std::isnan(scores[a]) ? -1 : scores[a];
      double y = std::isnan(scores[b]) ? -1 : scores[b];
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      better);
    best.push_back(order.front());
    for (int64_t index :
         llvm::ArrayRef(order).take_front(std::min<size_t>(count, topCount())))
      result.top.push_back({index, scores[index]});
  }
  for (size_t i = 0; i < subject.outputs().size(); ++i) {
    result.summaries.push_back(summarize(part(i, place)));
    if (!options.saveFolder.empty())
      llvm::append_range(saved[i], part(i, place));
  }
  results.push_back(std::move(result));
}

llvm::Error Runner::count() {
  const std::string &file = options.labelsFile;
  if (classOutput < 0)
    return userError("--labels needs the output logits or probabilities; there "
                     "is none");
  auto labels = readNpy(file);
  if (!labels)
    return labels.takeError();
  if (labels->type != NpyArray::Type::I64 || labels->shape.size() != 1)
    return userError(file, "expected int64 labels of shape [items]");
  if (labels->shape[0] != int64_t(best.size()))
    return userError(file, "has " + llvm::Twine(labels->shape[0]) +
                               " labels, expected " + llvm::Twine(best.size()) +
                               ": one for each item");
  const auto *data = reinterpret_cast<const int64_t *>(labels->data.data());
  int64_t classes = subject.outputs()[classOutput].shape[1];
  correct = 0;
  for (size_t i = 0; i < best.size(); ++i) {
    if (data[i] < 0 || data[i] >= classes)
      return userError(file, "label " + llvm::Twine(data[i]) + " of item " +
                                 llvm::Twine(i) + " is not one of the " +
                                 llvm::Twine(classes) + " classes");
    *correct += data[i] == best[i];
  }
  return llvm::Error::success();
}

llvm::Error Runner::save() const {
  StringRef folder = options.saveFolder;
  if (std::error_code code = createFolders(folder))
    return userError(folder, "cannot be made: " + code.message());
  removeStale(folder);
  for (auto [index, output] : llvm::enumerate(subject.outputs())) {
    std::vector<int64_t> shape = savedShape(index);
    llvm::SmallString<256> file(folder);
    llvm::sys::path::append(file, llvm::Twine(output.name) + ".npy");
    if (llvm::Error error = writeNpy(file, shape, saved[index]))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void Runner::print() const {
  llvm::raw_ostream &os = out();
  for (const ItemResult &result : results) {
    if (classOutput >= 0 && result.top.empty())
      continue;
    os << terminalText(result.description) << "\n";
    for (const ClassScore &score : result.top)
      os << "  "
         << llvm::right_justify(formatFixed(100 * score.probability, 2), 6)
         << "%  " << score.index << "  " << terminalText(label(score.index))
         << "\n";
    if (classOutput >= 0)
      continue;
    for (auto [index, summary] : llvm::enumerate(result.summaries))
      os << "  " << subject.outputs()[index].name << " "
         << formatShape(itemShape(index)) << ": min "
         << formatShort(summary.min) << ", max " << formatShort(summary.max)
         << ", mean " << formatShort(summary.mean) << "\n";
  }
  if (correct)
    os << *correct << " of " << best.size() << " correct ("
       << formatFixed(100.0 * double(*correct) / double(best.size()), 1)
       << "%)\n";
  if (!options.saveFolder.empty())
    for (auto [index, output] : llvm::enumerate(subject.outputs())) {
      os << "saved " << output.name << " " << formatShape(savedShape(index))
         << " in " << options.saveFolder << "\n";
    }
}

void Runner::printJson() const {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/2);
  json.object([&] {
    jsonText(json, "name", subject.getModel().name);
    json.attribute("target", subject.getModel().target);
    json.attributeArray("items", [&] {
      for (const ItemResult &result : results)
        json.object([&] {
          jsonText(json, "file", result.file);
          json.attribute("index", result.index);
          json.attributeArray("top", [&] {
            for (const ClassScore &score : result.top)
              json.object([&] {
                json.attribute("class", score.index);
                jsonText(json, "label", label(score.index));
                jsonNumber(json, "probability", score.probability);
              });
          });
          json.attributeArray("outputs", [&] {
            for (auto [index, summary] : llvm::enumerate(result.summaries))
              json.object([&, index = index, &summary = summary] {
                json.attribute("name", subject.outputs()[index].name);
                jsonShape(json, "shape", itemShape(index));
                jsonNumber(json, "min", summary.min);
                jsonNumber(json, "max", summary.max);
                jsonNumber(json, "mean", summary.mean);
              });
          });
        });
    });
    if (correct) {
      json.attribute("correct", *correct);
      json.attribute("labels", int64_t(best.size()));
    }
  });
  llvm::outs() << "\n";
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<Runnable>>
open(const RunOptions &settings, const char *program) {
  if (!settings.reference)
    return openLibrary(settings.compile.model, settings.threads);
  auto installation = Installation::find(program);
  if (!installation)
    return installation.takeError();
  return openReference(settings.compile, *installation);
}

llvm::Error vitc::tool::runCommand(const Invocation &invocation) {
  RunOptions settings;
  Options options(
      "run", "OUT INPUT... [options]",
      "Runs a compiled library on images or ready tensors and "
      "shows the best classes, or a summary of every output. With "
      "--reference, OUT is a model instead, and the reference "
      "interpreter runs it in double precision, without a compile.");
  options.argument("OUT", settings.compile.model,
                   "a folder that `vitc compile` wrote; with --reference a "
                   "MODEL as `vitc compile` takes it");
  options.arguments(
      "INPUT", settings.inputs,
      "an image (PNG, JPEG, PPM), or a NumPy array: uint8 [height, width, "
      "channels] is an image, [items, height, width, channels] several; "
      "float32 [items, channels, height, width] is the ready, normalised "
      "tensor");
  options.integer(
      "top", "K", 0, 1000000, [&](int64_t k) { settings.top = k; },
      "show the K best classes of each item (default 5; with --labels 0)");
  options.text("labels", "FILE.npy", settings.labelsFile,
               "int64 classes of all items: count how many are right");
  options.text("save", "DIR", settings.saveFolder,
               "write DIR/<output>.npy: float32, [items, ...]");
  options.integer(
      "threads", "N", 0, 1024,
      [&](int64_t n) { settings.threads = unsigned(n); },
      "threads to use (default: one per core)");
  options.flag("reference", settings.reference,
               "run MODEL in the reference interpreter; INPUT must be ready "
               "tensors");
  declareImportOptions(options, settings.compile);
  options.flag("json", settings.json, "print JSON (docs/CommandLine.md)");
  options.note("More items than the library's batch are run in turn; the last "
               "run has as many as are left.");
  options.note("--config, --random-weights, --image-size and --output go with "
               "--reference, and mean what they mean to `vitc compile`.");
  options.example("vitc run out cat.jpg dog.png --top 3", "classify images");
  options.example("vitc run out images.npy --labels labels.npy",
                  "measure the accuracy on test data");
  options.example("vitc run out tensor.npy --save results",
                  "keep the outputs as NumPy arrays");
  options.example("vitc run vit-base-patch16-224/ tensor.npy --reference "
                  "--output last_hidden_state --save truth",
                  "what the model should give, with no library involved");
  auto parsed = options.parse(invocation.arguments);
  if (!parsed || !*parsed)
    return parsed.takeError();

  if (settings.reference && options.given("threads"))
    return userError("--threads is for a compiled library; the reference "
                     "interpreter uses all cores");
  for (const char *name : {"config", "random-weights", "image-size", "output"})
    if (!settings.reference && options.given(name))
      return userError("--" + llvm::Twine(name) +
                       " belongs to --reference; a compiled library has what "
                       "`vitc compile` was told");

  auto subject = open(settings, invocation.program);
  if (!subject)
    return subject.takeError();
  InputQueue queue(**subject, settings.inputs);
  if (llvm::Error error = queue.checkFiles())
    return error;
  Runner runner(**subject, settings);
  if (llvm::Error error = runner.run(queue))
    return error;
  if (!settings.labelsFile.empty())
    if (llvm::Error error = runner.count())
      return error;
  if (!settings.saveFolder.empty())
    if (llvm::Error error = runner.save())
      return error;
  if (settings.json)
    runner.printJson();
  else
    runner.print();
  return llvm::Error::success();
}
