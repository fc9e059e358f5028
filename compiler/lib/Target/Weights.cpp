// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Target/Weights.h"

#include "vitc/Dialect/ViT/IR/ViT.h"
#include "vitc/Reference/Interpreter.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

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

/// A parameter's rows as floats. Those of the checkpoint are read when they are
/// asked for, derived ones are computed once.
class RowReader {
public:
  RowReader(vit::ParameterOp parameter, const Checkpoint &checkpoint,
            int64_t columns)
      : checkpoint(checkpoint), tensor(checkpoint.find(parameter.getSymName())),
        columns(columns) {
    if (parameter.isDerived())
      derived = evaluateParameter(parameter, checkpoint);
  }
  void read(int64_t first, MutableArrayRef<float> out) const {
    if (derived.data.empty())
      return checkpoint.read(*tensor, first * columns, out);
    std::copy_n(derived.data.begin() + first * columns, out.size(),
                out.begin());
  }

  /// Floats of a row.
  int64_t length() const { return columns; }

private:
  const Checkpoint &checkpoint;
  const TensorInfo *tensor;
  int64_t columns;
  Tensor derived;
};

} // namespace

/// [n, k] as [⌈n/w⌉][k][w].
static void packPanels(const RowReader &reader, int64_t n, MemRefType type,
                       MutableArrayRef<float> out) {
  int64_t k = type.getDimSize(1), width = type.getDimSize(2);
  std::vector<float> rows(width * k);
  for (int64_t panel = 0; panel < type.getDimSize(0); ++panel) {
    int64_t count = std::min(width, n - panel * width);
    reader.read(panel * width, MutableArrayRef(rows).take_front(count * k));
    float *to = out.data() + panel * k * width;
    for (int64_t j = 0; j < count; ++j)
      for (int64_t i = 0; i < k; ++i)
        to[i * width + j] = rows[j * k + i];
  }
}

/// [n, k] as the right operands of Strassen's seven products,
/// [n/2/w][7][k/2][w], or those of each part of k, a slice of both its halves,
/// one after the other. The combinations are computed in double and rounded
/// once.
static void packStrassen(const RowReader &reader, MemRefType type,
                         MutableArrayRef<float> out, StrassenErrors &errors) {
  int64_t halfDepth = type.getDimSize(2), width = type.getDimSize(3);
  int64_t k = reader.length(), parts = k / (2 * halfDepth),
          panels = type.getDimSize(0) / parts, half = panels * width;
  std::vector<float> left(width * k),
      right(width * k); // columns of the two halves of the transpose
  for (int64_t panel = 0; panel < panels; ++panel) {
    reader.read(panel * width, left);
    reader.read(half + panel * width, right);
    if (panel == 0)
      errors.sample(left, right, k);
    for (int64_t part = 0; part < parts; ++part) {
      float *to = out.data() + (part * panels + panel) *
                                   kernel::strassenProducts * halfDepth * width;
      for (int64_t j = 0; j < width; ++j) {
        const float *b1 = &left[j * k + part * halfDepth],
                    *b2 = &right[j * k + part * halfDepth];
        for (int64_t i = 0; i < halfDepth; ++i) {
          double b11 = b1[i], b21 = b1[k / 2 + i];
          double b12 = b2[i], b22 = b2[k / 2 + i];
          const double operands[kernel::strassenProducts] = {
              b12 - b22, b21 - b11, b11 + b22, b11, b22, b11 + b12, b21 + b22};
          for (auto [product, operand] : llvm::enumerate(operands))
            to[(product * halfDepth + i) * width + j] = float(operand);
        }
      }
    }
  }
}

/// What paired products need of [n, k] beside its panels: a sum for each row,
/// and in the last 16 floats the rows' mean size. In double, rounded once.
static void packPairs(const RowReader &reader, int64_t n,
                      MutableArrayRef<float> out) {
  const int64_t k = reader.length(),
                triples = k / kernel::pairedSteps * 2 * kernel::blockTriples;
  std::vector<float> row(k);
  double size = 0;
  for (int64_t j = 0; j < n; ++j) {
    reader.read(j, row);
    double sum = 0;
    for (int64_t g = 0; g < triples; ++g) {
      const float *pair = &row[g * kernel::tripleSteps];
      double product = double(pair[0]) * pair[1];
      sum += g / kernel::blockTriples % 2 == 0 ? product : -product;
    }
    out[j] = float(sum);
    for (float value : row)
      size += std::abs(double(value));
  }
  out[out.size() - kernel::pairFloats] = float(size / double(n));
}

static void packRows(const RowReader &reader, int64_t rows, int64_t columns,
                     int64_t stride, MutableArrayRef<float> out) {
  for (int64_t r = 0; r < rows; ++r)
    reader.read(r, out.slice(r * stride, columns));
}

/// The constant's bytes, padded with zeros to whole blocks of 64.
static std::vector<float> pack(kernel::ConstantOp constant,
                               vit::ParameterOp parameter,
                               const Checkpoint &checkpoint,
                               StrassenErrors &errors) {
  MemRefType type = constant.getBufferType();
  ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
  int64_t elements = parameter.getTensorType().getNumElements();
  std::vector<float> packed(
      llvm::alignTo(type.getNumElements(), kernel::alignment / sizeof(float)));
  if (constant.getLayout() == kernel::Layout::Panels)
    packPanels(RowReader(parameter, checkpoint, elements / shape.front()),
               shape.front(), type, packed);
  else if (constant.getLayout() == kernel::Layout::Strassen)
    packStrassen(RowReader(parameter, checkpoint, elements / shape.front()),
                 type, packed, errors);
  else if (constant.getLayout() == kernel::Layout::Pairs)
    packPairs(RowReader(parameter, checkpoint, elements / shape.front()),
              shape.front(),
              MutableArrayRef(packed).take_front(type.getNumElements()));
  else
    packRows(RowReader(parameter, checkpoint, shape.back()),
             elements / shape.back(), shape.back(), type.getShape().back(),
             packed);
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
    std::vector<float> packed = pack(
        constant, symbols.lookup<vit::ParameterOp>(constant.getParameter()),
        checkpoint, errors);
    ArrayRef<char> data(reinterpret_cast<const char *>(packed.data()),
                        packed.size() * sizeof(float));
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
