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
  explicit Runner(const vitc_model_v2 &model) : model(model) {
    for (int32_t i = 0; i < model.output_count; ++i)
      outputs.emplace_back(size_t(model.outputs[i].bytes));
    for (std::vector<char> &output : outputs)
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
  void answerRun(vitc_status status, int32_t count);
  static void observeStep(void *user, int32_t step, const void *workspace);

  const vitc_model_v2 &model;
  Channel channel;
  void *context = nullptr;
  bool observed = false;
  std::vector<std::vector<char>> outputs; ///< aligned as operator new does
  std::vector<void *> pointers;
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
    const vitc_output_v2 &output = model.outputs[i];
    channel.putText(output.name);
    channel.put(int32_t(output.type));
    channel.put(int32_t(output.kind));
    channel.putText(output.layout);
    channel.put(output.rank);
    channel.write(output.shape, sizeof(output.shape));
    channel.put(output.elements);
    channel.put(output.bytes);
  }
  channel.put(model.step_count);
  for (int32_t i = 0; i < model.step_count; ++i) {
    const vitc_step_v2 &step = model.steps[i];
    channel.putText(step.name);
    channel.putText(step.kernel);
    channel.put(step.flops);
    channel.put(step.bytes);
    channel.put(step.images);
    channel.put(int32_t(step.type));
    for (int64_t value : {step.buffer_offset, step.buffer_rows,
                          step.buffer_columns, step.buffer_stride})
      channel.put(value);
  }
  channel.put(model.label_count);
  for (int32_t i = 0; i < model.label_count; ++i)
    channel.putText(model.labels[i]);
}

void Runner::answer(vitc_status status) {
  channel.put(int32_t(status));
  channel.putText(model.status_text(status));
}

void Runner::create() {
  vitc_options_v2 options = {};
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
  const vitc_step_v2 &step = self->model.steps[index];
  self->channel.put(index);
  const char *start = static_cast<const char *>(workspace) + step.buffer_offset;
  for (int64_t row = 0; row < step.buffer_rows; ++row)
    self->channel.write(start + row * step.buffer_stride,
                        vitc_element_bytes(step.type) *
                            size_t(step.buffer_columns));
}

void Runner::answerRun(vitc_status status, int32_t count) {
  if (observed)
    channel.put(int32_t(-1));
  answer(status);
  if (status != VITC_OK)
    return;
  for (const std::vector<char> &output : outputs)
    channel.write(output.data(),
                  output.size() / size_t(model.batch) * size_t(count));
}

void Runner::runTensor() {
  auto count = channel.get<int32_t>();
  std::vector<float> pixels(size_t(count) * model.channels * model.height *
                            model.width);
  channel.read(pixels.data(), sizeof(float) * pixels.size());
  answerRun(model.run_tensor(context, pixels.data(), count, pointers.data()),
            count);
}

void Runner::runImages() {
  std::vector<std::vector<uint8_t>> rows;
  std::vector<vitc_image_v2> images;
  auto count = channel.get<int32_t>();
  for (int32_t i = 0; i < count; ++i) {
    auto width = channel.get<int32_t>(), height = channel.get<int32_t>(),
         format = channel.get<int32_t>(), pixelBytes = channel.get<int32_t>();
    rows.emplace_back(size_t(width) * height * pixelBytes);
    channel.read(rows.back().data(), rows.back().size());
    images.push_back({rows.back().data(),
                      width,
                      height,
                      format,
                      ptrdiff_t(width) * pixelBytes,
                      {}});
  }
  answerRun(model.run(context, images.data(), count, pointers.data()), count);
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
      reinterpret_cast<const vitc_model_v2 *(*)()>(dlsym(library, argv[2]));
  if (!table || table()->version != VITC_MODEL_VERSION) {
    std::fprintf(stderr, "%s: no symbol %s, or of another version\n", argv[1],
                 argv[2]);
    return 1;
  }
  Runner runner(*table());
  runner.describe();
  runner.serve();
}
