// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `manifest.json`, as run, bench and verify read it: the input is the file.
/// The folder has the files that the manifest of the seed names, but no code to
/// load.
#include "Readers.h"
#include "library/Library.h"

#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using namespace vitc;
using namespace vitc::fuzz;
using namespace vitc::tool;

/// A folder as `vitc compile` writes it, for a library called "model".
static const MemoryFolder &compiledFolder() {
  static const MemoryFolder folder;
  static const bool isMade = [] {
    for (const char *name : {"lib", "share", "share/model"})
      (void)llvm::sys::fs::create_directory(folder.at(name));
    folder.write("lib/libmodel.so", "not a library");
    folder.write("share/model/model.weights", "");
    return true;
  }();
  (void)isMade;
  return folder;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // No input may start a program: without a PATH there is no emulator.
  static const int hidden = setenv("PATH", "/nowhere", /*overwrite=*/1);
  (void)hidden;
  const MemoryFolder &folder = compiledFolder();
  std::string path =
      folder.write("share/model/manifest.json", textOf(data, size));
  auto manifest = readManifest(path);
  if (!isValue(manifest))
    return 0;
  auto library = Library::open(folder.at(""));
  if (library)
    fault("a library was loaded that is none");
  (void)expectUserError(library.takeError());
  return 0;
}
