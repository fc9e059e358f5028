#include "ModelFiles.h"

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

/// What is different about the file, or an empty text.
static llvm::Expected<std::string> difference(StringRef path, bool isWeights,
                                              const Manifest &manifest) {
  StringRef name = llvm::sys::path::filename(path);
  auto known = llvm::find_if(manifest.files, [&](const Manifest::File &file) {
    return file.name == name;
  });
  if (known == manifest.files.end())
    return "is not among the files that " + manifest.path + " lists";
  auto buffer = mapFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef data = (*buffer)->getBuffer();
  if (int64_t(data.size()) != known->bytes)
    return "has " + std::to_string(data.size()) +
           " bytes, while the library was compiled from one of " +
           std::to_string(known->bytes);
  if (hashOf(data, isWeights) != known->hash)
    return std::string("is not the file that the library was compiled from "
                       "(their hashes differ)");
  return std::string();
}

llvm::Expected<std::vector<std::string>>
vitc::tool::checkModelFiles(const ModelSource &source,
                            const Manifest &manifest) {
  std::vector<std::string> warnings;
  std::vector<std::string> configs = {source.config->getFile().path};
  if (!source.processorPath.empty())
    configs.push_back(source.processorPath);
  for (const std::string &path : configs) {
    auto text = difference(path, /*isWeights=*/false, manifest);
    if (!text)
      return text.takeError();
    if (!text->empty())
      warnings.push_back(path + " " + *text);
  }
  if (source.seed)
    return warnings;
  std::set<std::string> places;
  for (const TensorInfo &tensor : source.checkpoint->tensors())
    places.insert(tensor.place);
  for (const std::string &path : places) {
    auto text = difference(path, /*isWeights=*/true, manifest);
    if (!text)
      return text.takeError();
    if (!text->empty())
      return userError(path, *text);
  }
  return warnings;
}
