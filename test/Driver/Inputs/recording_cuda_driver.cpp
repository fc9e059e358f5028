// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A CUDA driver that computes nothing: it writes every launch to the file that
/// $VITC_LAUNCHES names, and refuses what a real one would crash on. So the way
/// from a library to its kernels is walked where there is no GPU.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>

namespace {

using Result = int;
constexpr Result success = 0, wrongValue = 1, notFound = 500;

struct Function {
  std::string name;
  int parameters;
};
using Module = std::map<std::string, Function>;

std::map<uint64_t, size_t> allocations;

/// Whether the address is one that the driver has handed out, or within it.
bool isOurs(uint64_t address) {
  auto next = allocations.upper_bound(address);
  return next != allocations.begin() &&
         address < (--next)->first + next->second;
}

} // namespace

extern "C" {

Result cuInit(unsigned) { return success; }
Result cuDeviceGetCount(int *count) { return *count = 1, success; }
Result cuDeviceGet(int *device, int) { return *device = 0, success; }
Result cuDeviceGetAttribute(int *value, int attribute, int) {
  constexpr int computeCapabilityMajor = 75;
  *value = attribute == computeCapabilityMajor ? 8 : 0;
  return success;
}
Result cuDevicePrimaryCtxRetain(void **context, int) {
  return *context = &allocations, success;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return success; }
Result cuCtxPushCurrent_v2(void *) { return success; }
Result cuCtxPopCurrent_v2(void **) { return success; }

Result cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  *address = reinterpret_cast<uint64_t>(std::calloc(bytes, 1));
  allocations[*address] = bytes;
  return success;
}
Result cuMemFree_v2(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
  return allocations.erase(address) ? success : wrongValue;
}
Result cuMemcpyHtoDAsync_v2(uint64_t to, const void *, size_t bytes, void *) {
  return isOurs(to) && isOurs(to + bytes - 1) ? success : wrongValue;
}
Result cuMemcpyDtoHAsync_v2(void *, uint64_t from, size_t bytes, void *) {
  return isOurs(from) && isOurs(from + bytes - 1) ? success : wrongValue;
}

Result cuStreamCreate(void **stream, unsigned) {
  return *stream = &allocations, success;
}
Result cuStreamDestroy_v2(void *) { return success; }
Result cuStreamSynchronize(void *) { return success; }

/// The PTX says what kernels there are, and how many parameters they have.
Result cuModuleLoadData(void **result, const char *ptx) {
  static const std::regex entry("\\.entry\\s+(\\w+)\\(([^)]*)\\)"),
      parameter("\\.param\\s+\\.u64");
  auto *module = new Module;
  std::string text = ptx;
  std::sregex_iterator end;
  for (std::sregex_iterator at(text.begin(), text.end(), entry); at != end;
       ++at) {
    std::string name = (*at)[1], list = (*at)[2];
    auto count = std::distance(
        std::sregex_iterator(list.begin(), list.end(), parameter), end);
    (*module)[name] = {name, int(count)};
  }
  *result = module;
  return success;
}
Result cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  return success;
}
Result cuModuleGetFunction(void **result, void *module, const char *name) {
  auto found = static_cast<Module *>(module)->find(name);
  if (found == static_cast<Module *>(module)->end())
    return notFound;
  *result = &found->second;
  return success;
}

Result cuLaunchKernel(void *kernel, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned, void *, void **parameters,
                      void **) {
  const auto &function = *static_cast<Function *>(kernel);
  for (int i = 0; i < function.parameters; ++i)
    if (!isOurs(*static_cast<uint64_t *>(parameters[i])))
      return wrongValue;
  std::FILE *file = std::fopen(std::getenv("VITC_LAUNCHES"), "a");
  std::fprintf(file, "%s blocks %u %u %u threads %u %u %u, %d arguments\n",
               function.name.c_str(), gridX, gridY, gridZ, blockX, blockY,
               blockZ, function.parameters);
  std::fclose(file);
  return success;
}

} // extern "C"
