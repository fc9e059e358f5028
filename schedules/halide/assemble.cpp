// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assemble.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace vitc::halide {

void chooseInstructions(const std::string &assemblyPath,
                        bool integerBroadcasts) {
  std::vector<std::pair<const char *, const char *>> replacements = {
      {"\tprefetchnta\t", "\tprefetcht1\t"},
      {"\tprfm\tpldl1strm,", "\tprfm\tpldl2keep,"},
      {"\tprfum\tpldl1strm,", "\tprfum\tpldl2keep,"}};
  if (integerBroadcasts)
    replacements.emplace_back("\tvbroadcastss\t", "\tvpbroadcastd\t");
  std::ifstream in(assemblyPath, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  for (auto [from, to] : replacements)
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, std::strlen(from), to);
  in.close();
  std::ofstream out(assemblyPath, std::ios::binary);
  out << text;
  out.close();
  if (!in || !out)
    throw std::runtime_error("cannot rewrite " + assemblyPath);
}

/// Compilers for `target`, the preferred one first.
static std::vector<std::string> compilersFor(const Halide::Target &target) {
  if (target.arch == Halide::get_host_target().arch)
    return {"c++", "g++", "clang++"};
  return {target.arch == Halide::Target::ARM ? "aarch64-linux-gnu-g++"
                                             : "x86_64-linux-gnu-g++"};
}

void assemble(const std::string &assemblyPath, const std::string &objectPath,
              const Halide::Target &target) {
  std::vector<std::string> compilers = compilersFor(target);
  const char *chosen = std::getenv("CXX");
  if (chosen && *chosen)
    compilers.insert(compilers.begin(), chosen);
  for (const std::string &compiler : compilers) {
    std::vector<const char *> arguments = {compiler.c_str(), "-x", "assembler"};
    if (target.has_feature(Halide::Target::ARMDotProd))
      arguments.push_back("-march=armv8.2-a+dotprod");
    arguments.insert(arguments.end(), {"-c", "-o", objectPath.c_str(),
                                       assemblyPath.c_str(), nullptr});
    pid_t child;
    int error =
        posix_spawnp(&child, compiler.c_str(), nullptr, nullptr,
                     const_cast<char *const *>(arguments.data()), environ);
    if (error == ENOENT)
      continue;
    int status = 0;
    if (error != 0 || waitpid(child, &status, 0) != child || status != 0)
      throw std::runtime_error(compiler + " cannot assemble " + assemblyPath);
    return;
  }
  throw std::runtime_error("no C++ compiler to assemble with (looked for " +
                           compilers.front() +
                           "); set CXX to one, or the schedule's prefetch to "
                           "0");
}

} // namespace vitc::halide
