// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Lets one kernel run on a device: harness.py puts each argument into memory
/// of its own there, calls the kernel and fetches everything back. Stands in
/// for runtime/src/device/device.cpp, which knows whole models alone.
#include "../../runtime/src/device/launches.h"
#include "../../runtime/src/device/shared.h"

#include "vitc/runtime/device_abi.h"

#include <vector>

using namespace vitc::rt;

namespace {

/// An argument lies some way into its block, as in a model's workspace.
constexpr size_t before = 192;

struct Argument {
  unsigned char *host;
  size_t bytes;
  driver::Memory memory;
};

struct Bench {
  driver::Queue queue = nullptr;
  Launches launches;
  std::vector<Argument> arguments;
  bool good = true;
};

} // namespace

namespace vitc::rt {

Launches &launchesOf(void *context) {
  return static_cast<Bench *>(context)->launches;
}

HalideBuffer deviceBuffer(void *context, const float *host,
                          HalideDimension *dim, int32_t dimensions) {
  auto &bench = *static_cast<Bench *>(context);
  HalideBuffer buffer = halideBuffer<float>(nullptr, dim, dimensions);
  const auto *address = reinterpret_cast<const unsigned char *>(host);
  for (const Argument &argument : bench.arguments)
    if (address >= argument.host && address < argument.host + argument.bytes) {
      driver::place(buffer, dim[0], argument.memory,
                    before + size_t(address - argument.host));
      return buffer;
    }
  bench.good = false;
  return buffer;
}

} // namespace vitc::rt

extern "C" vitc_status device_open() { return acquireDriver(0); }

extern "C" void *device_begin(int count, unsigned char **hosts,
                              const size_t *bytes) {
  driver::enter();
  auto *bench = new Bench;
  bench->good = driver::openQueue(&bench->queue) == VITC_OK;
  for (int i = 0; i < count && bench->good; ++i) {
    bool again = false; // the output may be an input
    for (const Argument &known : bench->arguments)
      again |= known.host == hosts[i];
    if (again)
      continue;
    Argument argument = {hosts[i], bytes[i], 0};
    bench->good =
        driver::allocate(before + bytes[i], &argument.memory) == VITC_OK &&
        driver::copyIn(bench->queue, argument.memory, before, argument.host,
                       argument.bytes);
    bench->arguments.push_back(argument);
  }
  bench->launches.beginRecording(bench->queue);
  return bench;
}

/// Whether everything went well.
extern "C" int device_end(void *context) {
  auto *bench = static_cast<Bench *>(context);
  bench->good &= bench->launches.endRecording() == VITC_OK;
  for (const Argument &argument : bench->arguments)
    bench->good &= driver::copyOut(bench->queue, argument.host, argument.memory,
                                   before, argument.bytes);
  bench->good &= driver::finish(bench->queue);
  bench->launches.release();
  for (const Argument &argument : bench->arguments)
    driver::release(argument.memory);
  driver::closeQueue(bench->queue);
  bool good = bench->good;
  delete bench;
  driver::leave();
  return good;
}
