// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Intermediate results of a compiled library, by the names of its layers.
#ifndef VITC_TOOLS_LIBRARY_STEPCAPTURE_H
#define VITC_TOOLS_LIBRARY_STEPCAPTURE_H

#include "Library.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace vitc::tool {

/// Runs the library as often as it takes to see each result once: a run keeps
/// the results from the wanted step onwards that fit into a bounded memory.
class StepCapture {
public:
  StepCapture(const Library &library, Context &context,
              llvm::ArrayRef<float> pixels);

  /// Finds out which steps the library has at this level. Before all else.
  llvm::Error start();
  /// The last step of that layer that runs at this level, whose result has that
  /// shape and stands in the workspace, or -1.
  int findStep(llvm::StringRef layer, int64_t rows, int64_t columns) const;
  /// The result of a step that findStep() found, dense. Valid until the next
  /// call.
  llvm::Expected<llvm::ArrayRef<float>> get(int step);

private:
  static void note(void *user, int32_t step, const void *workspace);
  static void observe(void *user, int32_t step, const void *workspace);

  const Library &library;
  Context &context;
  llvm::ArrayRef<float> pixels;
  OutputBuffers outputs;
  llvm::BitVector runs; ///< at this level: the steps that it has
  int firstWanted = 0;
  size_t bytesHeld = 0;
  llvm::DenseMap<int, std::vector<float>> held;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_STEPCAPTURE_H
