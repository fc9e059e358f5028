// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ModelFiles.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/File.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;

/// As docs/Manifest.md says: SHA-256 for configs, XXH3 for weights.
static std::string hashOf(StringRef data, bool isWeights) {
  if (isWeights)
    return llvm::formatv("xxh3:{0:x-16}", llvm::xxh3_64bits(data)).str();
  auto bytes = llvm::SHA256::hash(llvm::arrayRefFromStringRef(data));
  return "sha256:" + llvm::toHex(bytes, /*LowerCase=*/true);
}

/// What is different about the file's data, or an empty text.
static std::string difference(StringRef path, StringRef data, bool isWeights,
                              const Manifest &manifest) {
  std::string name = utf8Text(llvm::sys::path::filename(path));
  auto known = llvm::find_if(manifest.files, [&](const Manifest::File &file) {
    return file.name == name;
  });
  if (known == manifest.files.end())
    return "is not among the files that " + manifest.path + " lists";
  if (int64_t(data.size()) != known->bytes)
    return "has " + std::to_string(data.size()) +
           " bytes, while the library was compiled from one of " +
           std::to_string(known->bytes);
  if (hashOf(data, isWeights) != known->hash)
    return "is not the file that the library was compiled from (their hashes "
           "differ)";
  return "";
}

/// The same for a file that is not in memory yet.
static llvm::Expected<std::string>
differenceOfFile(StringRef path, bool isWeights, const Manifest &manifest) {
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  return difference(path, (*buffer)->getBuffer(), isWeights, manifest);
}

llvm::Expected<std::vector<std::string>>
vitc::tool::checkModelFiles(const ModelSource &source,
                            const Manifest &manifest) {
  std::vector<std::string> warnings;
  // The config of an architecture that is known by name has no file.
  const JsonFile &config = source.config->getFile();
  if (std::string text = difference(config.path, config.text,
                                    /*isWeights=*/false, manifest);
      !text.empty())
    warnings.push_back(config.path + " " + text);
  if (!source.processorPath.empty()) {
    auto text =
        differenceOfFile(source.processorPath, /*isWeights=*/false, manifest);
    if (!text)
      return text.takeError();
    if (!text->empty())
      warnings.push_back(source.processorPath + " " + *text);
  }
  if (source.seed)
    return warnings;
  std::set<std::string> places;
  for (const TensorInfo &tensor : source.checkpoint->tensors())
    places.insert(tensor.place);
  for (const std::string &path : places) {
    auto text = differenceOfFile(path, /*isWeights=*/true, manifest);
    if (!text)
      return text.takeError();
    if (!text->empty())
      return userError(path, *text);
  }
  return warnings;
}
