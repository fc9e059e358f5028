// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Manifest.h"

#include "vitc/Support/Escape.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace vitc;
namespace json = llvm::json;

/// Configs are small and get a cryptographic hash; weights are large and get a
/// fast one.
static json::Object describeData(llvm::StringRef path, llvm::StringRef data,
                                 bool isWeights) {
  std::string hash =
      isWeights
          ? llvm::formatv("xxh3:{0:x-16}", llvm::xxh3_64bits(data)).str()
          : "sha256:" + llvm::toHex(llvm::SHA256::hash(
                                        llvm::arrayRefFromStringRef(data)),
                                    true);
  return json::Object{{"file", utf8Text(llvm::sys::path::filename(path))},
                      {"bytes", int64_t(data.size())},
                      {"hash", hash}};
}

static llvm::Expected<json::Object> describeFile(llvm::StringRef path,
                                                 bool isWeights) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return userError(path, buffer.getError().message());
  return describeData(path, (*buffer)->getBuffer(), isWeights);
}

static llvm::Expected<json::Array> describeFiles(const ModelSource &source) {
  // The config is in memory, and that of an architecture by name nowhere else.
  const JsonFile &config = source.config->getFile();
  json::Array result;
  result.push_back(describeData(config.path, config.text, /*isWeights=*/false));
  std::vector<std::pair<std::string, bool>> files;
  if (!source.processorPath.empty())
    files.push_back({source.processorPath, false});
  if (!source.seed) {
    std::set<std::string> places;
    for (const TensorInfo &tensor : source.checkpoint->tensors())
      places.insert(tensor.place);
    for (const std::string &place : places)
      files.push_back({place, true});
  }
  for (auto &[path, isWeights] : files) {
    llvm::Expected<json::Object> file = describeFile(path, isWeights);
    if (!file)
      return file.takeError();
    result.push_back(std::move(*file));
  }
  return result;
}

static json::Object describePreprocessing(const ImageProcessor &processor) {
  static constexpr llvm::StringLiteral filters[] = {
      "nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
  json::Object result;
  if (processor.resize == ImageProcessor::Resize::Exact)
    result["resize"] =
        json::Array{processor.resizeHeight, processor.resizeWidth};
  if (processor.resize == ImageProcessor::Resize::ShortestEdge)
    result["resize_shortest_edge"] = processor.resizeHeight;
  if (processor.resize == ImageProcessor::Resize::Cover)
    result["resize_to_cover"] =
        json::Array{processor.resizeHeight, processor.resizeWidth};
  if (processor.resize != ImageProcessor::Resize::None)
    result["filter"] = filters[processor.filter];
  if (processor.centerCrop)
    result["center_crop"] =
        json::Array{processor.cropHeight, processor.cropWidth};
  if (processor.centerCrop && processor.cropRoundsHalfToEven)
    result["center_crop_rounds"] = "half to even";
  if (processor.reversesChannels)
    result["reverse_channels"] = true;
  result["rescale"] = processor.rescale;
  if (!processor.mean.empty()) {
    result["mean"] = json::Array(processor.mean);
    result["std"] = json::Array(processor.std);
  }
  return result;
}

static llvm::Expected<json::Array>
describeKernels(const ManifestInputs &inputs) {
  json::Array kernels;
  for (auto [request, kernel, record] :
       llvm::zip(inputs.requests, inputs.kernels, inputs.records)) {
    int64_t calls = 0;
    double flops = 0, bytes = 0;
    for (const StepDescription &step : inputs.library.steps)
      if (isCallOf(step, kernel.name, inputs.library)) {
        ++calls;
        flops = step.flops;
        bytes = step.bytes;
      }
    llvm::Expected<uint64_t> stack = inputs.stack.ofKernel(kernel.name);
    if (!stack)
      return stack.takeError();
    json::Object report(kernel.report);
    json::Object description{{"name", kernel.name},
                             {"family", request.family},
                             {"backend", report["backend"]},
                             {"backend_version", report["version"]},
                             {"spec", json::Object(request.spec)},
                             {"schedule", report["schedule"]},
                             {"record", record
                                            ? json::Value(record->provenance())
                                            : json::Value(nullptr)},
                             {"flops", flops},
                             {"bytes", bytes},
                             {"calls", calls},
                             {"object_bytes", report["object_bytes"]},
                             {"stack_bytes", int64_t(*stack)}};
    if (json::Value *launches = report.get("launches"))
      description["launches"] = std::move(*launches);
    kernels.push_back(std::move(description));
  }
  return kernels;
}

llvm::Expected<std::string> vitc::makeManifest(const ManifestInputs &inputs) {
  const LibraryDescription &library = inputs.library;
  llvm::Expected<json::Array> files = describeFiles(inputs.source);
  if (!files)
    return files.takeError();

  llvm::Expected<json::Array> kernels = describeKernels(inputs);
  if (!kernels)
    return kernels.takeError();

  json::Array outputs, outputNames, steps;
  for (const OutputDescription &output : library.outputs) {
    outputs.push_back(json::Object{{"name", output.name},
                                   {"type", output.type->text},
                                   {"kind", textOf(output.form.kind)},
                                   {"layout", output.form.layout},
                                   {"shape", json::Array(output.shape)},
                                   {"bytes", output.bytes()}});
    outputNames.push_back(output.name);
  }
  for (const StepDescription &step : library.steps) {
    json::Object description{{"layer", step.layer},
                             {"kernel", step.kernel},
                             {"images", step.images}};
    if (!step.levels.empty())
      description["levels"] = json::Array(step.levels);
    steps.push_back(std::move(description));
  }

  json::Object options{
      {"batch", library.batch},
      {"image_size", json::Array{library.height, library.width}},
      {"outputs", std::move(outputNames)},
      {"embed_weights", inputs.options.embedWeights},
      {"disabled_rewrites", json::Array(inputs.options.disabledRewrites)},
      {"fast_matmul", inputs.options.fastMatmul},
      {"tensor_cores", inputs.options.tensorCores},
      {"winograd", inputs.winograd}};
  // Only where they were given. For people: a program that a manifest names is
  // never run.
  if (!inputs.options.toolchain.cxx.empty())
    options["cxx"] = utf8Text(inputs.options.toolchain.cxx);
  if (!inputs.options.toolchain.sysroot.empty())
    options["sysroot"] = utf8Text(inputs.options.toolchain.sysroot);

  json::Object manifest{
      {"format", 2},
      {"vitc", VITC_VERSION},
      {"name", library.name},
      {"target", library.target},
      {"precision", inputs.options.precision},
      {"backend", inputs.options.backend},
      {"model", json::Object{{"source", utf8Text(inputs.options.model)},
                             {"random_weights",
                              inputs.source.seed
                                  ? json::Value(int64_t(*inputs.source.seed))
                                  : json::Value(nullptr)},
                             {"files", std::move(*files)}}},
      {"options", std::move(options)},
      {"input", json::Object{{"channels", library.channels},
                             {"height", library.height},
                             {"width", library.width},
                             {"preprocessing",
                              describePreprocessing(library.processor)}}},
      {"outputs", std::move(outputs)},
      {"labels", json::Array(library.labels)},
      {"parameters", inputs.parameters},
      {"flops", library.flops},
      {"workspace_bytes", library.workspaceBytes},
      {"stack_bytes", library.stackBytes},
      {"weights_bytes", int64_t(library.weightsBytes)},
      {"weights_identity",
       llvm::formatv("{0:x-16}", library.weightsIdentity).str()},
      {"kernels", std::move(*kernels)},
      {"steps", std::move(steps)},
  };
  return llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str();
}
