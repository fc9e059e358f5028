// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Target/Weights.h"

#include "vitc/Dialect/Kernel/IR/ElementTypes.h"
#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Reference/Interpreter.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace vitc;

namespace {

/// The checksum of docs/WeightsFile.md, over blocks of eight words.
class Checksum {
public:
  void add(ArrayRef<char> bytes) {
    assert(bytes.size() % 64 == 0 && "constants are padded to whole blocks");
    for (size_t i = 0; i < bytes.size(); i += 64)
      for (size_t lane = 0; lane < 8; ++lane)
        mix(lanes[lane],
            llvm::support::endian::read64le(bytes.data() + i + 8 * lane));
    length += bytes.size();
  }
  uint64_t finish() const {
    uint64_t result = 0;
    for (uint64_t lane : lanes)
      mix(result, lane);
    mix(result, length);
    return result;
  }

private:
  static void mix(uint64_t &state, uint64_t word) {
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
  }
  uint64_t lanes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t length = 0;
};

/// A parameter's values as floats. Those of the checkpoint are read when they
/// are asked for, derived ones are computed once.
class Reader : public kernel::ParameterReader {
public:
  Reader(vit::ParameterOp parameter, const Checkpoint &checkpoint)
      : ParameterReader(parameter.getTensorType()), checkpoint(checkpoint),
        tensor(checkpoint.find(parameter.getSymName())) {
    name = parameter.getSymName();
    if (parameter.isDerived())
      derived = evaluateParameter(parameter, checkpoint);
  }
  /// Bytes hold finite numbers alone.
  llvm::Error check() const {
    bool isBytes =
        vit::formatOf(getType().getElementType()) == vit::Format::I8Rows;
    if (!isBytes || llvm::all_of(derived.data, [](double value) {
          return std::isfinite(value);
        }))
      return llvm::Error::success();
    return userError("--precision int8: the weights of " + name +
                     " are not all finite; expected numbers that 8 bits and a "
                     "scale can hold (--precision f32 takes them)");
  }
  void read(int64_t first, MutableArrayRef<float> out) const override {
    if (derived.data.empty())
      return checkpoint.read(*tensor, first, out);
    std::copy_n(derived.data.begin() + first, out.size(), out.begin());
  }

private:
  const Checkpoint &checkpoint;
  const TensorInfo *tensor;
  Tensor derived;
  StringRef name;
};

} // namespace

/// What Strassen's products lose: a sample of the first panel's outputs.
static void sample(kernel::StrassenAttr layout,
                   const kernel::ParameterReader &reader,
                   StrassenErrors &errors) {
  auto [n, k] = kernel::MatrixShape(reader.getType());
  std::vector<float> left(layout.getWidth() * k), right(layout.getWidth() * k);
  reader.read(0, left);
  reader.read(n / 2 * k, right);
  errors.sample(left, right, k);
}

/// The constant's bytes, padded with zeros to whole blocks of 64.
static std::vector<char> pack(kernel::ConstantOp constant,
                              const kernel::ParameterReader &reader) {
  MemRefType type = constant.getBufferType();
  int64_t bytes =
      type.getNumElements() * kernel::elementBytes(type.getElementType());
  std::vector<char> packed(llvm::alignTo(bytes, kernel::alignment));
  constant.getLayout().pack(reader, MutableArrayRef(packed).take_front(bytes));
  return packed;
}

llvm::Expected<WeightsFile>
vitc::writeWeights(ModuleOp module, const Checkpoint &checkpoint,
                   StringRef program, StringRef path,
                   llvm::function_ref<void(unsigned, unsigned)> progress) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return userError(path, "cannot be written: " + code.message());
  os.write_zeros(64); // the head is known at the end

  SymbolTable symbols(module);
  auto constants = llvm::to_vector(module.getOps<kernel::ConstantOp>());
  llvm::sort(constants, [](kernel::ConstantOp a, kernel::ConstantOp b) {
    return *a.getOffset() < *b.getOffset();
  });
  Checksum checksum;
  StrassenErrors errors;
  uint64_t bytes = 0;
  for (auto [index, constant] : llvm::enumerate(constants)) {
    assert(*constant.getOffset() == bytes && "constants follow each other");
    Reader reader(symbols.lookup<vit::ParameterOp>(constant.getParameter()),
                  checkpoint);
    if (auto strassen = dyn_cast<kernel::StrassenAttr>(constant.getLayout()))
      sample(strassen, reader, errors);
    if (llvm::Error error = reader.check())
      return error;
    std::vector<char> data = pack(constant, reader);
    checksum.add(data);
    os.write(data.data(), data.size());
    bytes += data.size();
    if (os.has_error())
      break;
    progress(index + 1, constants.size());
  }

  WeightsFile file{bytes, checksum.finish(), 0, errors};
  file.identity =
      llvm::xxh3_64bits((program + "/" + Twine(file.checksum)).str());
  char head[64] = {'V', 'I', 'T', 'C', 'W', 'G', 'T', '1'};
  llvm::support::endian::write64le(head + 8, file.bytes);
  llvm::support::endian::write64le(head + 16, file.identity);
  llvm::support::endian::write64le(head + 24, file.checksum);
  os.pwrite(head, sizeof(head), 0);
  os.close();
  if (os.has_error()) {
    std::string reason = os.error().message();
    os.clear_error();
    return userError(path, "cannot be written: " + reason);
  }
  return file;
}
