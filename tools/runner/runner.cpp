// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Runs a compiled library for vitc where vitc itself cannot load it: vitc
/// compiles this program for the library's architecture and starts it under an
/// emulator.
///
///   runner LIBRARY.so SYMBOL      speaks protocol.h on standard input
#include "protocol.h"

#include "vitc/runtime/model.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

using vitc::runner::Command;

namespace {

/// Both directions of the socket. vitc's end of it closes when vitc ends, and
/// then this program has nothing left to do.
class Channel {
public:
  void read(void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
      ssize_t count =
          ::read(STDIN_FILENO, static_cast<char *>(data) + done, bytes - done);
      if (count <= 0)
        std::exit(0);
      done += size_t(count);
    }
  }
  void write(const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
      ssize_t count = ::write(
          STDIN_FILENO, static_cast<const char *>(data) + done, bytes - done);
      if (count <= 0)
        std::exit(0);
      done += size_t(count);
    }
  }

  template <typename T>
  T get() {
    T value;
    read(&value, sizeof(value));
    return value;
  }
  template <typename T>
  void put(T value) {
    write(&value, sizeof(value));
  }
  std::string getText() {
    std::string text(get<uint32_t>(), '\0');
    read(text.data(), text.size());
    return text;
  }
  void putText(const char *text) {
    put(uint32_t(std::strlen(text)));
    write(text, std::strlen(text));
  }
};

class Runner {
public:
  explicit Runner(const vitc_model_v1 &model) : model(model) {
    for (int32_t i = 0; i < model.output_count; ++i)
      outputs.emplace_back(size_t(model.outputs[i].elements));
    for (std::vector<float> &output : outputs)
      pointers.push_back(output.data());
  }

  void describe();
  /// Answers until the socket ends.
  [[noreturn]] void serve();

private:
  void create();
  void runTensor();
  void runImages();
  void answer(vitc_status status);
  void answerRun(vitc_status status);
  static void observeStep(void *user, int32_t step, const void *workspace);

  const vitc_model_v1 &model;
  Channel channel;
  void *context = nullptr;
  bool observed = false;
  std::vector<std::vector<float>> outputs;
  std::vector<float *> pointers;
};

} // namespace

void Runner::describe() {
  channel.put(model.version);
  channel.putText(model.name);
  channel.putText(model.target);
  for (int32_t value : {model.batch, model.channels, model.height, model.width})
    channel.put(value);
  channel.put(uint64_t(model.workspace_bytes));
  channel.put(model.weights_bytes);
  channel.put(model.flops);
  channel.put(model.output_count);
  for (int32_t i = 0; i < model.output_count; ++i) {
    const vitc_output_v1 &output = model.outputs[i];
    channel.putText(output.name);
    channel.put(output.rank);
    channel.write(output.shape, sizeof(output.shape));
    channel.put(output.elements);
  }
  channel.put(model.step_count);
  for (int32_t i = 0; i < model.step_count; ++i) {
    const vitc_step_v1 &step = model.steps[i];
    channel.putText(step.name);
    channel.putText(step.kernel);
    channel.put(step.flops);
    channel.put(step.bytes);
    for (int64_t value : {step.buffer_offset, step.buffer_rows,
                          step.buffer_columns, step.buffer_stride})
      channel.put(value);
  }
}

void Runner::answer(vitc_status status) {
  channel.put(int32_t(status));
  channel.putText(model.status_text(status));
}

void Runner::create() {
  vitc_options_v1 options = {};
  options.threads = channel.get<int32_t>();
  std::string weights = channel.getText();
  if (context)
    model.destroy(context);
  context = nullptr;
  vitc_status status = model.create(weights.empty() ? nullptr : weights.c_str(),
                                    &options, &context);
  answer(status);
  if (status == VITC_OK)
    channel.putText(model.level(context));
}

void Runner::observeStep(void *user, int32_t index, const void *workspace) {
  auto *self = static_cast<Runner *>(user);
  const vitc_step_v1 &step = self->model.steps[index];
  self->channel.put(index);
  const auto *start = reinterpret_cast<const float *>(
      static_cast<const char *>(workspace) + step.buffer_offset);
  for (int64_t row = 0; row < step.buffer_rows; ++row)
    self->channel.write(start + row * step.buffer_stride,
                        sizeof(float) * size_t(step.buffer_columns));
}

void Runner::answerRun(vitc_status status) {
  if (observed)
    channel.put(int32_t(-1));
  answer(status);
  if (status != VITC_OK)
    return;
  for (const std::vector<float> &output : outputs)
    channel.write(output.data(), sizeof(float) * output.size());
}

void Runner::runTensor() {
  std::vector<float> pixels(size_t(model.batch) * model.channels *
                            model.height * model.width);
  channel.read(pixels.data(), sizeof(float) * pixels.size());
  answerRun(model.run_tensor(context, pixels.data(), pointers.data()));
}

void Runner::runImages() {
  std::vector<std::vector<uint8_t>> rows;
  std::vector<vitc_image_v1> images;
  for (int32_t i = 0; i < model.batch; ++i) {
    auto width = channel.get<int32_t>(), height = channel.get<int32_t>(),
         channels = channel.get<int32_t>();
    rows.emplace_back(size_t(width) * height * channels);
    channel.read(rows.back().data(), rows.back().size());
    images.push_back({rows.back().data(), width, height, channels,
                      ptrdiff_t(width) * channels});
  }
  answerRun(model.run(context, images.data(), pointers.data()));
}

void Runner::serve() {
  for (;;)
    switch (channel.get<Command>()) {
    case Command::Create:
      create();
      break;
    case Command::RunTensor:
      runTensor();
      break;
    case Command::RunImages:
      runImages();
      break;
    case Command::Observe:
      observed = channel.get<int32_t>() != 0;
      model.observe(context, observed ? observeStep : nullptr, this);
      break;
    }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  auto *table =
      reinterpret_cast<const vitc_model_v1 *(*)()>(dlsym(library, argv[2]));
  if (!table || table()->version != VITC_MODEL_VERSION) {
    std::fprintf(stderr, "%s: no symbol %s, or of another version\n", argv[1],
                 argv[2]);
    return 1;
  }
  Runner runner(*table());
  runner.describe();
  runner.serve();
}
