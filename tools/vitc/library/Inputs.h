// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The inputs of `vitc run`: files in, one item after the other out.
#ifndef VITC_TOOLS_LIBRARY_INPUTS_H
#define VITC_TOOLS_LIBRARY_INPUTS_H

#include "Runnable.h"

#include "vitc/Support/Image.h"
#include "vitc/Support/Npy.h"

#include <deque>

namespace vitc::tool {

/// One image or one ready tensor.
struct Item {
  std::string file;
  int64_t index = 0;     ///< in the file
  bool alone = true;     ///< the file has no other
  bool isTensor = false; ///< else an image
  vitc_image_v2 image = {};
  llvm::ArrayRef<float> tensor;
  std::shared_ptr<const void> memory; ///< what the two point into
  std::string describe() const;       ///< "cat.jpg", "batch.npy[3]"
};

/// Reads files when their items are asked for, so that any number of images
/// can be run in the memory of a few.
///
/// A float32 .npy of shape [items, channels, height, width] or [channels,
/// height, width] is the ready tensor. A uint8 .npy is an image: [height,
/// width] or [height, width, channels]; or several: [items, height, width,
/// channels] or [items, height, width]. Other files are PNG, JPEG or PPM.
/// Images are refused if the subject does not preprocess.
class InputQueue {
public:
  InputQueue(const Runnable &subject, std::vector<std::string> files)
      : subject(subject), files(std::move(files)) {}

  /// Fails early if a file is not there.
  llvm::Error checkFiles() const;
  /// The next item, or nothing after the last.
  llvm::Expected<std::optional<Item>> next();

private:
  llvm::Error checkPreprocesses(const std::string &file) const;
  llvm::Error load(const std::string &file);
  llvm::Error loadNpy(const std::string &file);
  llvm::Error addTensors(const std::string &file,
                         std::shared_ptr<NpyArray> array);
  llvm::Error addImages(const std::string &file,
                        std::shared_ptr<NpyArray> array);

  const Runnable &subject;
  std::vector<std::string> files;
  size_t nextFile = 0;
  std::deque<Item> ready;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_INPUTS_H
