// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/ObjectCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SHA256.h"

using namespace vitc;

llvm::Expected<std::string> vitc::hashCode(llvm::StringRef objectPath) {
  auto file = llvm::object::ObjectFile::createObjectFile(objectPath);
  if (!file)
    return userError(objectPath,
                     "not an object file: " + llvm::toString(file.takeError()));
  llvm::SHA256 hash;
  for (const llvm::object::SectionRef &section :
       file->getBinary()->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    // Unwinding tables are the assembler's, and not run.
    if ((!section.isText() && !section.isData()) || *name == ".eh_frame")
      continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    // Empty sections are the assembler's habit.
    if (contents->empty())
      continue;
    hash.update(llvm::Twine(contents->size()).str() + "\n");
    hash.update(*contents);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32);
}
