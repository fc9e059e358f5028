// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include "common/ptxas.h"

#include <cstdlib>

using namespace Halide;
using namespace Halide::Internal;
using nlohmann::ordered_json;

namespace vitc::halide {

namespace {

/// Finds the calls that start kernels in the host's code.
class FindLaunches : public IRVisitor {
public:
  explicit FindLaunches(const std::string &function) : function(function) {}

  ordered_json launches = ordered_json::array();

private:
  using IRVisitor::visit;

  /// The state, the entry's name, blocks, threads and shared memory come first.
  void visit(const Call *op) override {
    IRVisitor::visit(op);
    if (op->name != function)
      return;
    auto number = [&](int index) { return constantOf(op->args[index]); };
    const auto *entry = op->args[1].as<StringImm>();
    if (!entry)
      throw std::logic_error("a kernel's launch has no constant name");
    launches.push_back({{"entry", entry->value},
                        {"blocks", {number(2), number(3), number(4)}},
                        {"threads", {number(5), number(6), number(7)}},
                        {"shared_bytes", number(8)}});
  }

  static int64_t constantOf(const Expr &expr) {
    auto value = as_const_int(simplify(expr));
    if (!value)
      throw std::logic_error("a kernel's launch depends on run-time values");
    return *value;
  }

  const std::string function;
};

} // namespace

ordered_json describeLaunches(const Module &module, const Machine &machine,
                              const std::string &deviceCode) {
  FindLaunches finder(machine.api == Api::Cuda ? "halide_cuda_run"
                                               : "halide_opencl_run");
  for (const LoweredFunc &function : module.functions())
    function.body.accept(&finder);
  const char *ptxas = std::getenv("PTXAS");
  if (machine.api == Api::Cuda && ptxas && *ptxas)
    assembleLaunches(finder.launches, machine, ptxas, deviceCode);
  return finder.launches;
}

} // namespace vitc::halide
