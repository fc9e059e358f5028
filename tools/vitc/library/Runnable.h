// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What `vitc run` feeds: a compiled library, or a model in the reference
/// interpreter.
#ifndef VITC_TOOLS_LIBRARY_RUNNABLE_H
#define VITC_TOOLS_LIBRARY_RUNNABLE_H

#include "Library.h"

#include "vitc/Driver/Compile.h"

namespace vitc::tool {

class Runnable {
public:
  virtual ~Runnable();

  /// Name, target, sizes and outputs; the functions may be null.
  virtual const vitc_model_v2 &getModel() const = 0;
  /// Of the classes, by index; may be empty.
  virtual llvm::ArrayRef<std::string> labels() const = 0;
  /// Whether it takes images, too, and not only ready tensors.
  virtual bool preprocesses() const = 0;
  /// Of both: one item, or more up to the model's batch.
  virtual llvm::Error run(llvm::ArrayRef<vitc_image_v2> images,
                          OutputBuffers &outputs) = 0;
  virtual llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                                OutputBuffers &outputs) = 0;

  llvm::ArrayRef<vitc_output_v2> outputs() const {
    return {getModel().outputs, size_t(getModel().output_count)};
  }
  /// The output of that name, or -1.
  int findOutput(llvm::StringRef name) const;
};

/// A folder that `vitc compile` wrote.
llvm::Expected<std::unique_ptr<Runnable>> openLibrary(llvm::StringRef folder,
                                                      unsigned threads);

/// The published model as the options of `vitc compile` name it (model,
/// configPath, seed, imageSize, outputs; the others do not matter), computed in
/// double precision, one item at a time.
llvm::Expected<std::unique_ptr<Runnable>>
openReference(const CompileOptions &options, const Installation &installation);

} // namespace vitc::tool

#endif // VITC_TOOLS_LIBRARY_RUNNABLE_H
