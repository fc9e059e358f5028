// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibraryName.h"

#include "ReservedNames.h"

#include "vitc/Support/Error.h"
#include "vitc/Support/Escape.h"

#include "llvm/ADT/StringExtras.h"

using namespace vitc;
using llvm::StringRef;

/// Leaves room in a file name of 255 bytes for what vitc, CMake and linkers put
/// around it.
static constexpr size_t longestName = 128;

/// An identifier near to `text` that a library can have.
static std::string deriveName(StringRef text) {
  std::string name;
  for (char c : text)
    if (llvm::isAlnum(c))
      name += c;
    else if (!StringRef(name).ends_with("_"))
      name += '_';
  name = StringRef(name).trim('_').take_front(longestName - 6).rtrim('_').str();
  if (name.empty())
    return "model";
  bool isGood = isIdentifier(name) && whyReserved(name).empty();
  return isGood ? name : "model_" + name;
}

llvm::Expected<std::string> vitc::chooseLibraryName(StringRef given,
                                                    StringRef modelName) {
  if (given.empty())
    return deriveName(modelName);
  std::string why;
  if (!isIdentifier(given))
    why = " is not a C identifier (letters, digits and _, not starting with a "
          "digit)";
  else if (given.size() > longestName)
    why = " has " + std::to_string(given.size()) +
          " characters, expected at most " + std::to_string(longestName);
  else if (std::string reason = whyReserved(given); !reason.empty())
    why = " cannot be the name of a library: " + reason;
  else
    return given.str();
  return userError("--name " + inQuotes(given) + why + "; try --name " +
                   deriveName(given));
}

llvm::Error vitc::checkNames(const LibraryDescription &library) {
  std::vector<StringRef> names = {library.name};
  for (const OutputDescription &output : library.outputs)
    names.push_back(output.name);
  for (const StepDescription &step : library.steps)
    names.push_back(step.kernel);
  // What a variant asks of the CPU is an expression of vitc's own table.
  for (const VariantDescription &variant : library.variants)
    names.push_back(variant.kernels);
  for (StringRef name : names)
    if (!isIdentifier(name))
      return llvm::createStringError(
          inQuotes(name) + " would become an identifier of generated code, and "
                           "is none");
  return llvm::Error::success();
}
