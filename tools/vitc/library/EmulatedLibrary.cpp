// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatedLibrary.h"

#include "Emulator.h"
#include "terminal/Text.h"

#include "runner/protocol.h"

#include <cstdlib>
#include <deque>

using namespace vitc;
using namespace vitc::tool;
using vitc::runner::Command;

namespace {

class EmulatedLibrary : public Library {
public:
  explicit EmulatedLibrary(const Architecture &architecture)
      : architecture(architecture) {}

  llvm::StringRef emulator() const override { return architecture.emulator; }
  llvm::Expected<std::unique_ptr<Context>>
  createContext(unsigned threads) const override;
  EmulatedRunner &getRunner() const { return *runner; }

private:
  llvm::Error load() override;
  const char *keepText() {
    return texts.emplace_back(runner->getText()).c_str();
  }

  const Architecture &architecture;
  std::unique_ptr<EmulatedRunner> runner;
  std::deque<std::string> texts; ///< that the table points to
  std::vector<vitc_output_v2> outputInfos;
  std::vector<vitc_step_v2> stepInfos;
  std::vector<const char *> labels;
  vitc_model_v2 table = {};
};

class EmulatedContext : public Context {
public:
  EmulatedContext(const EmulatedLibrary &library, std::string level)
      : library(library), runner(library.getRunner()),
        levelName(std::move(level)) {}

  llvm::Error run(llvm::ArrayRef<vitc_image_v2> images,
                  OutputBuffers &outputs) override;
  llvm::Error runTensor(llvm::ArrayRef<float> pixels,
                        OutputBuffers &outputs) override;
  void observe(vitc_observer observer, void *user) override;
  std::string level() const override { return levelName; }

private:
  llvm::Error readAnswer(OutputBuffers &outputs, int32_t images);
  /// Hands the runner's results of all steps to the observer, each where it
  /// stands in the workspace.
  void readSteps();

  const EmulatedLibrary &library;
  EmulatedRunner &runner;
  const std::string levelName;
  vitc_observer observer = nullptr;
  void *observerUser = nullptr;
  std::vector<char> workspace;
};

} // namespace

/// The compiler of the program that loads the library. The manifest may name
/// one, too, but whoever wrote it would then have this machine run anything.
static ToolchainOptions runnersToolchain() {
  auto text = [](const char *variable) -> std::string {
    const char *value = std::getenv(variable);
    return value ? value : "";
  };
  ToolchainOptions options;
  options.cxx = text("VITC_RUN_CXX");
  options.sysroot = text("VITC_RUN_SYSROOT");
  return options;
}

llvm::Error EmulatedLibrary::load() {
  auto started = EmulatedRunner::start(architecture, runnersToolchain(),
                                       {libraryPath, manifest.name + "_model"});
  if (!started)
    return started.takeError();
  runner = std::move(*started);
  err() << "vitc: note: " << manifest.target << " runs under "
        << architecture.emulator << " on this machine\n";
  table.version = runner->get<uint32_t>();
  table.name = keepText();
  table.target = keepText();
  for (int32_t *field :
       {&table.batch, &table.channels, &table.height, &table.width})
    *field = runner->get<int32_t>();
  table.workspace_bytes = runner->get<uint64_t>();
  table.weights_bytes = runner->get<uint64_t>();
  table.flops = runner->get<double>();
  table.output_count = runner->get<int32_t>();
  for (int32_t i = 0; i < table.output_count; ++i) {
    vitc_output_v2 output = {};
    output.name = keepText();
    output.type = vitc_element_type(runner->get<int32_t>());
    output.kind = vitc_output_kind(runner->get<int32_t>());
    output.layout = keepText();
    output.rank = runner->get<int32_t>();
    runner->read(output.shape, sizeof(output.shape));
    output.elements = runner->get<int64_t>();
    output.bytes = runner->get<uint64_t>();
    outputInfos.push_back(output);
  }
  table.step_count = runner->get<int32_t>();
  for (int32_t i = 0; i < table.step_count; ++i) {
    vitc_step_v2 step = {};
    step.name = keepText();
    step.kernel = keepText();
    step.flops = runner->get<double>();
    step.bytes = runner->get<double>();
    step.images = runner->get<int32_t>();
    step.type = vitc_element_type(runner->get<int32_t>());
    for (int64_t *field : {&step.buffer_offset, &step.buffer_rows,
                           &step.buffer_columns, &step.buffer_stride})
      *field = runner->get<int64_t>();
    stepInfos.push_back(step);
  }
  table.label_count = runner->get<int32_t>();
  for (int32_t i = 0; i < table.label_count; ++i)
    labels.push_back(keepText());
  table.labels = labels.empty() ? nullptr : labels.data();
  table.outputs = outputInfos.data();
  table.steps = stepInfos.data();
  model = &table;
  return runner->takeError();
}

llvm::Expected<std::unique_ptr<Context>>
EmulatedLibrary::createContext(unsigned threads) const {
  runner->put(Command::Create);
  runner->put(int32_t(threads));
  runner->putText(weightsPath);
  auto status = vitc_status(runner->get<int32_t>());
  std::string text = runner->getText();
  if (llvm::Error error = runner->takeError())
    return error;
  if (status != VITC_OK)
    return statusError(status, text);
  std::string level = runner->getText();
  return std::make_unique<EmulatedContext>(*this, std::move(level));
}

llvm::Error EmulatedContext::run(llvm::ArrayRef<vitc_image_v2> images,
                                 OutputBuffers &outputs) {
  runner.put(Command::RunImages);
  runner.put(int32_t(images.size()));
  for (const vitc_image_v2 &image : images) {
    // Files have dense rows, and nothing of them is cropped.
    auto pixelBytes = int32_t(image.stride / image.width);
    for (int32_t value : {image.width, image.height, image.format, pixelBytes})
      runner.put(value);
    runner.write(image.pixels, size_t(image.stride) * image.height);
  }
  return readAnswer(outputs, int32_t(images.size()));
}

llvm::Error EmulatedContext::runTensor(llvm::ArrayRef<float> pixels,
                                       OutputBuffers &outputs) {
  auto images = int32_t(int64_t(pixels.size()) / library.itemElements());
  runner.put(Command::RunTensor);
  runner.put(images);
  runner.write(pixels.data(), sizeof(float) * pixels.size());
  return readAnswer(outputs, images);
}

void EmulatedContext::observe(vitc_observer newObserver, void *user) {
  observer = newObserver;
  observerUser = user;
  workspace.resize(observer ? library.getModel().workspace_bytes : 0);
  runner.put(Command::Observe);
  runner.put(int32_t(observer != nullptr));
}

void EmulatedContext::readSteps() {
  for (;;) {
    auto index = runner.get<int32_t>();
    if (index < 0 || index >= library.getModel().step_count)
      return;
    if (llvm::Error error = runner.takeError())
      return llvm::consumeError(std::move(error)); // readAnswer reports it
    const vitc_step_v2 &step = library.steps()[index];
    for (int64_t row = 0; row < step.buffer_rows; ++row)
      runner.read(workspace.data() + step.buffer_offset +
                      row * step.buffer_stride,
                  vitc_element_bytes(step.type) * step.buffer_columns);
    observer(observerUser, index, workspace.data());
  }
}

llvm::Error EmulatedContext::readAnswer(OutputBuffers &outputs,
                                        int32_t images) {
  if (observer)
    readSteps();
  auto status = vitc_status(runner.get<int32_t>());
  std::string text = runner.getText();
  if (status == VITC_OK)
    for (auto [index, output] : llvm::enumerate(library.outputs()))
      runner.read(outputs.pointers()[index],
                  size_t(output.bytes) / size_t(library.getModel().batch) *
                      size_t(images));
  if (llvm::Error error = runner.takeError())
    return error;
  return status == VITC_OK ? llvm::Error::success()
                           : library.statusError(status, text);
}

std::unique_ptr<Library>
vitc::tool::makeEmulatedLibrary(const Architecture &architecture) {
  return std::make_unique<EmulatedLibrary>(architecture);
}
