// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Constants.h"

using namespace vitc;

static constexpr Constant allStatuses[] = {
    {"OK", 0, ""},
    {"ERROR_ARGUMENT", 1,
     "a null pointer, a number of images below 1 or above the batch, a size "
     "below 1, a stride below a row, a pixel format the model cannot take, a "
     "crop outside of its image, or outputs that overlap"},
    {"ERROR_MEMORY", 2, "the context could not be allocated"},
    {"ERROR_WORKSPACE", 3,
     "the caller's workspace is too small or not aligned to 64 bytes"},
    {"ERROR_WEIGHTS_OPEN", 4, "the weights file is missing or cannot be read"},
    {"ERROR_WEIGHTS_FORMAT", 5, "not a weights file, or cut short"},
    {"ERROR_WEIGHTS_MISMATCH", 6,
     "a weights file of another model or of another compile"},
    {"ERROR_WEIGHTS_CORRUPT", 7,
     "the checksum does not match: a byte was changed"},
    {"ERROR_CPU", 8,
     "this CPU lacks instructions that the library was compiled for"},
    {"ERROR_THREADS", 9, "the threads could not be started"},
    {"ERROR_IMAGE_SIZE", 10,
     "after preprocessing the image does not have the size that the model "
     "takes"},
    {"ERROR_DRIVER", 11, "the GPU's driver is missing or cannot be used"},
    {"ERROR_DEVICE", 12, "the driver has no device that the kernels run on"},
    {"ERROR_DEVICE_MEMORY", 13, "the device has too little memory left"},
    {"ERROR_DEVICE_FAILED", 14, "the device or its driver reported an error"}};
static constexpr size_t statusesOfCpu = 11;

static constexpr Constant allPixelFormats[] = {
    {"PIXELS_NATIVE", 0,
     "the model's own channels in their order: RGB for 3, grey for 1"},
    {"PIXELS_GREY", 1, ""},
    {"PIXELS_RGB", 2, ""},
    {"PIXELS_BGR", 3, ""},
    {"PIXELS_RGBA", 4, "alpha is ignored"},
    {"PIXELS_BGRA", 5, "alpha is ignored"}};

static constexpr llvm::StringLiteral
    imageFields[] = {"pixels", "width", "height", "format", "stride", "crop"},
    rectangleFields[] = {"x", "y", "width", "height"},
    optionsFields[] = {"threads", "parallel_for", "parallel_user", "workspace",
                       "workspace_bytes"};
static const RepeatedStruct repeatedStructs[] = {{"image", imageFields},
                                                 {"rectangle", rectangleFields},
                                                 {"options", optionsFields}};

llvm::ArrayRef<Constant> vitc::statuses(const LibraryDescription &library) {
  llvm::ArrayRef<Constant> all(allStatuses);
  return library.device.empty() ? all.take_front(statusesOfCpu) : all;
}

llvm::ArrayRef<Constant> vitc::pixelFormats() { return allPixelFormats; }

std::string vitc::enumBody(const LibraryDescription &library,
                           llvm::ArrayRef<Constant> constants) {
  auto texts = llvm::map_to_vector(constants, [&](const Constant &constant) {
    return library.name + "_" + constant.name.str() + " = " +
           std::to_string(constant.number) +
           (&constant == &constants.back() ? "" : ",");
  });
  size_t widest = 0;
  for (const std::string &text : texts)
    widest = std::max(widest, text.size());
  std::string body;
  for (auto [constant, text] : llvm::zip(constants, texts)) {
    body += "  " + text;
    if (!constant.doc.empty())
      body += std::string(widest - text.size(), ' ') + " ///< " +
              constant.doc.str();
    body += "\n";
  }
  return body;
}

std::string vitc::repetitionAsserts(const LibraryDescription &library) {
  const std::string &id = library.name;
  std::string text;
  auto require = [&](const llvm::Twine &condition) {
    text += ("static_assert(" + condition +
             ", \"the header and the runtime do not match\");\n")
                .str();
  };
  for (llvm::ArrayRef<Constant> constants : {statuses(library), pixelFormats()})
    for (const Constant &constant : constants)
      require("int(" + id + "_" + constant.name + ") == int(VITC_" +
              constant.name + ")");
  for (const RepeatedStruct &repeated : repeatedStructs) {
    std::string ours = id + "_" + repeated.name.str(),
                theirs = "vitc_" + repeated.name.str() + "_v2";
    require("sizeof(" + ours + ") == sizeof(" + theirs + ")");
    for (llvm::StringRef field : repeated.fields)
      require("offsetof(" + ours + ", " + field + ") == offsetof(" + theirs +
              ", " + field + ") && sizeof(" + ours + "::" + field +
              ") == sizeof(" + theirs + "::" + field + ")");
  }
  for (const OutputDescription &output : library.outputs) {
    const kernel::ElementTypeInfo &type = *output.type;
    require(llvm::Twine(type.enumerator) + " == " + llvm::Twine(type.number) +
            " && vitc_element_bytes(" + type.enumerator + ") == sizeof(" +
            type.cType + ")");
    require(enumeratorOf(output.form.kind) +
            " == " + llvm::Twine(int(output.form.kind)));
  }
  return text;
}
