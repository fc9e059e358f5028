// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The glue between ID.h and the runtime: the model's description and one thin
/// function for each entry point.
#include "Constants.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;

static std::string outputRows(const LibraryDescription &library) {
  std::string rows;
  for (const OutputDescription &output : library.outputs) {
    std::string shape = shapeText(output.shape);
    rows +=
        llvm::formatv("    {{{0}, {1}, {2}, {3}, {4}, {{{5}}, {6}, {7}},\n",
                      stringLiteral(output.name), output.type->enumerator,
                      enumeratorOf(output.form.kind),
                      stringLiteral(output.form.layout), output.shape.size(),
                      llvm::StringRef(shape).drop_front().drop_back(),
                      output.elements(), output.bytes())
            .str();
  }
  return rows;
}

static std::string stepRows(const LibraryDescription &library) {
  std::string rows;
  for (const StepDescription &step : library.steps)
    rows +=
        llvm::formatv("    {{{0}, {1}, {2:f0}, {3:f0}, {4}, {5}, {6}, {7}, "
                      "{8}, {9}},\n",
                      stringLiteral(step.layer), stringLiteral(step.kernel),
                      step.flops, step.bytes, step.images,
                      step.type->enumerator, step.bufferOffset, step.bufferRows,
                      step.bufferColumns, step.bufferStride)
            .str();
  return rows;
}

/// Labels are foreign text.
static std::string labelArray(const LibraryDescription &library) {
  if (library.labels.empty())
    return "";
  std::string text = "\nstatic const char *const labels[] = {\n";
  for (const std::string &label : library.labels)
    text += "    " + stringLiteral(label) + ",\n";
  return text + "};\n";
}

static std::string forwardDeclarations(const LibraryDescription &library) {
  std::string text;
  for (const std::string &level : kernelLevels(library))
    text += "namespace " + library.name + "_" + level +
            " {\nvoid forward(const vitc::rt::Invocation &run);\n" +
            (tailImages(library) > 1
                 ? "void finish(const vitc::rt::Invocation &run);\n"
                 : "") +
            "}\n";
  return text;
}

static std::string variantRows(const LibraryDescription &library) {
  std::string rows;
  for (const VariantDescription &variant : library.variants)
    rows +=
        llvm::formatv("    {{{0}, {1}, {2}_{3}::forward, {4}},\n",
                      stringLiteral(variant.level), variant.cpu, library.name,
                      variant.kernels,
                      tailImages(library) > 1
                          ? library.name + "_" + variant.kernels + "::finish"
                          : "nullptr")
            .str();
  return rows;
}

/// `static const float mean[] = {0.5f};`, exact.
static std::string floatArray(llvm::StringRef name,
                              llvm::ArrayRef<double> values) {
  std::string text = ("static const float " + name + "[] = {").str();
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os, [&](double value) {
    os << llvm::format("%af", double(float(value)));
  });
  os << "};\n";
  return text;
}

static std::string preprocessing(const LibraryDescription &library) {
  const ImageProcessor &processor = library.processor;
  auto resizeName = [&] {
    switch (processor.resize) {
    case ImageProcessor::Resize::None:
      return "None";
    case ImageProcessor::Resize::Exact:
      return "Exact";
    case ImageProcessor::Resize::ShortestEdge:
      return "ShortestEdge";
    case ImageProcessor::Resize::Cover:
      return "Cover";
    }
    llvm_unreachable("unknown resize");
  };
  bool normalises = !processor.mean.empty();
  std::string rescale;
  llvm::raw_string_ostream(rescale) << llvm::format("%a", processor.rescale);
  return llvm::formatv(
             "{{vitc::rt::Resize::{0}, {1}, {2}, vitc::rt::Filter({3}), {4}, "
             "{5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}}",
             resizeName(), processor.resizeHeight, processor.resizeWidth,
             processor.filter, processor.centerCrop,
             processor.cropRoundsHalfToEven, library.channels, library.height,
             library.width, rescale, normalises ? "mean" : "nullptr",
             normalises ? "deviation" : "nullptr", processor.reversesChannels)
      .str();
}

std::string vitc::emitApi(const LibraryDescription &library) {
  Words words = wordsOf(library, Language::Cpp);
  std::string parameters, collected;
  for (const OutputDescription &output : library.outputs) {
    parameters += (", " + output.type->cType + " *" + output.name).str();
    collected += (collected.empty() ? "" : ", ") + output.name;
  }
  words["PARAMETERS"] = parameters;
  words["COLLECTED"] = collected;
  words["TARGET_LITERAL"] = stringLiteral(library.target);
  words["ASSERTS"] = repetitionAsserts(library);
  words["LABEL_ARRAY"] = labelArray(library);
  words["LABEL_COUNT"] = std::to_string(library.labels.size());
  words["LABEL_TABLE"] = library.labels.empty() ? "nullptr" : "labels";
  words["LABEL"] = library.labels.empty()
                       ? "(void)index;\n  return nullptr;"
                       : "return index >= 0 && index < model.table.label_count "
                         "? labels[index] : nullptr;";
  words["FINISH_IMAGES"] = std::to_string(tailImages(library));
  words["OUTPUTS"] = outputRows(library);
  words["STEPS"] = stepRows(library);
  words["OUTPUT_COUNT"] = std::to_string(library.outputs.size());
  words["STEP_COUNT"] = std::to_string(library.steps.size());
  words["WEIGHTS_BYTES"] = std::to_string(library.weightsBytes);
  words["IDENTITY"] = llvm::formatv("{0:x}u", library.weightsIdentity).str();
  words["FLOPS"] = llvm::formatv("{0:f0}", library.flops).str();
  words["FORWARDS"] = forwardDeclarations(library);
  words["VARIANTS"] = variantRows(library);
  words["VARIANT_COUNT"] = std::to_string(library.variants.size());
  words["SCRATCH_BYTES"] = std::to_string(library.scratchBytes);
  words["IMAGE_WORKSPACE"] = std::to_string(library.imageWorkspaceBytes);
  words["PIXELS_OFFSET"] = std::to_string(library.pixelsOffset);
  words["SCRATCH_OFFSET"] = std::to_string(library.scratchOffset);
  words["PREPROCESSING"] = preprocessing(library);
  words["DEVICE"] = library.device.empty() ? "nullptr" : "&vitc::rt::deviceApi";
  words["DEVICE_LEVEL"] = std::to_string(library.deviceLevel);
  bool normalises = !library.processor.mean.empty();
  words["NORMALISATION"] =
      normalises ? floatArray("mean", library.processor.mean) +
                       floatArray("deviation", library.processor.std)
                 : "";
  words["EMBEDDED_DECLARATION"] =
      library.embedWeights
          ? "extern \"C\" const unsigned char vitc_embedded_weights[];\n"
          : "";
  words["EMBEDDED"] =
      library.embedWeights ? "vitc_embedded_weights" : "nullptr";

  return fill(
      R"(// The functions of @ID@.h. Written by vitc @VERSION@; do not edit.
#include "@ID@.h"

#include "vitc/runtime/engine.h"

@FORWARDS@@EMBEDDED_DECLARATION@
static_assert(vitc::rt::preprocessScratchBytes(@CHANNELS@, @HEIGHT@, @WIDTH@) <= @SCRATCH_BYTES@, "planned scratch is too small");

@NORMALISATION@
static const vitc_output_v2 outputs[] = {
@OUTPUTS@};

static const vitc_step_v2 steps[] = {
@STEPS@};
@LABEL_ARRAY@
static const vitc::rt::Variant variants[] = {
@VARIANTS@};

static vitc_status create(const char *weightsPath, const vitc_options_v2 *options, void **context);
static const char *statusText(vitc_status status);

static const vitc::rt::Model model = {
    {VITC_MODEL_VERSION, "@ID@", @TARGET_LITERAL@, @BATCH@, @CHANNELS@, @HEIGHT@, @WIDTH@, @WORKSPACE@, @WEIGHTS_BYTES@, @FLOPS@,
     @OUTPUT_COUNT@, outputs, @STEP_COUNT@, steps, @LABEL_COUNT@, @LABEL_TABLE@, create, vitc::rt::run, vitc::rt::runTensor, vitc::rt::preprocess,
     vitc::rt::observe, vitc::rt::destroy, statusText, vitc::rt::level},
    variants,
    @VARIANT_COUNT@,
    @IDENTITY@,
    @EMBEDDED@,
    @PREPROCESSING@,
    @FINISH_IMAGES@,
    @IMAGE_WORKSPACE@,
    @PIXELS_OFFSET@,
    @SCRATCH_OFFSET@,
    @STACK@,
    @DEVICE@,
    @DEVICE_LEVEL@,
};

static const char *statusText(vitc_status status) { return vitc::rt::statusText(model, status); }

static vitc_status create(const char *weightsPath, const vitc_options_v2 *options, void **context) {
  return vitc::rt::create(model, weightsPath, options, context);
}

// The header repeats the runtime's types under the model's own name, so that a product needs no other header.
@ASSERTS@
extern "C" {

@ID@_status @ID@_create(const char *weights_path, const @ID@_options *options, @ID@_context **context) {
  return @ID@_status(vitc::rt::create(model, weights_path, reinterpret_cast<const vitc_options_v2 *>(options),
                                      reinterpret_cast<void **>(context)));
}

@ID@_status @ID@_run(@ID@_context *context, const @ID@_image *images, int32_t count@PARAMETERS@) {
  void *const results[] = {@COLLECTED@};
  return @ID@_status(vitc::rt::run(context, reinterpret_cast<const vitc_image_v2 *>(images), count, results));
}

@ID@_status @ID@_run_tensor(@ID@_context *context, const float *pixels, int32_t count@PARAMETERS@) {
  void *const results[] = {@COLLECTED@};
  return @ID@_status(vitc::rt::runTensor(context, pixels, count, results));
}

const char *@ID@_label(int32_t index) {
  @LABEL@
}

void @ID@_destroy(@ID@_context *context) { vitc::rt::destroy(context); }

const char *@ID@_status_text(@ID@_status status) { return statusText(vitc_status(status)); }

const vitc_model_v2 *@ID@_model(void) { return &model.table; }

} // extern "C"
)",
      words);
}
