// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Dialect/Kernel/IR/Kernel.h"
#include "vitc/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace vitc::kernel {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "vitc/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace vitc::kernel

using namespace mlir;
using namespace vitc::kernel;

namespace {

/// Bytes that are needed from time `first` to time `last`, both included. Time
/// 0 is preprocessing; the calls follow, those that may run concurrently at the
/// same time.
struct Buffer {
  int64_t bytes, first, last;
  int64_t offset = 0;
  AllocOp alloc; // null for the image and the preprocessing's scratch

  bool livesWith(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

} // namespace

/// Largest first, each at the lowest offset that no buffer alive at the same
/// time touches. Returns the end of the highest.
static int64_t place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(order,
                    [](Buffer *a, Buffer *b) { return a->bytes > b->bytes; });

  int64_t end = 0;
  for (auto [index, buffer] : llvm::enumerate(order)) {
    SmallVector<Buffer *> conflicts;
    for (Buffer *placed : ArrayRef(order).take_front(index))
      if (placed->livesWith(*buffer))
        conflicts.push_back(placed);
    llvm::sort(conflicts,
               [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
    for (Buffer *conflict : conflicts)
      if (conflict->offset < buffer->offset + buffer->bytes)
        buffer->offset =
            std::max(buffer->offset, conflict->offset + conflict->bytes);
    end = std::max(end, buffer->offset + buffer->bytes);
  }
  return end;
}

namespace {

struct PlanWorkspacePass
    : vitc::kernel::impl::PlanWorkspacePassBase<PlanWorkspacePass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(plan(function)))
        return signalPassFailure();
  }

  LogicalResult plan(func::FuncOp function) {
    if (function.getNumArguments() == 0 ||
        !isBuffer(function.getArgument(0).getType()))
      return function.emitError(
          "the first argument must be the preprocessed image, a buffer");
    // Buffers 0 and 1 stand for the preprocessing's scratch and the
    // preprocessed image.
    SmallVector<Buffer> buffers(2);
    int64_t scratchBytes = 0;
    if (Attribute attr = function->getAttr(scratchBytesAttrName)) {
      auto number = dyn_cast<IntegerAttr>(attr);
      if (!number || !number.getType().isSignlessInteger(64) ||
          number.getInt() < 0)
        return function.emitError() << scratchBytesAttrName
                                    << " must be an i64 that is not negative";
      scratchBytes = llvm::alignTo(number.getInt(), alignment);
    }
    buffers[0] = {scratchBytes, 0, 0, 0, {}};
    buffers[1] = {
        reservedBytes(cast<MemRefType>(function.getArgument(0).getType())),
        0,
        0,
        0,
        {}};

    DenseMap<Value, int64_t> indexOf;
    indexOf[function.getArgument(0)] = 1;
    int64_t time = 0;
    for (Operation &op : function.getBody().front()) {
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        indexOf[alloc] = buffers.size();
        buffers.push_back(
            {reservedBytes(alloc.getType()), INT64_MAX, 0, 0, alloc});
      }
      if (isa<AllocOp, ViewOp, WeightOp>(op)) // only names memory
        continue;
      auto call = dyn_cast<CallOp>(op);
      if (!call || !continuesConcurrentRun(call))
        ++time;
      for (Value operand : op.getOperands())
        if (auto it = indexOf.find(rootBuffer(operand)); it != indexOf.end()) {
          Buffer &buffer = buffers[it->second];
          buffer.first = std::min(buffer.first, time);
          buffer.last = time;
        }
    }

    // A buffer that nothing uses has no life and needs no memory.
    llvm::erase_if(buffers, [](Buffer &buffer) {
      return buffer.alloc && buffer.last == 0;
    });
    int64_t end = place(buffers);

    Builder builder(&getContext());
    for (Buffer &buffer : buffers) {
      unshared += buffer.bytes;
      if (buffer.alloc)
        buffer.alloc.setOffset(buffer.offset);
    }
    planned += end;
    function->setAttr(scratchOffsetAttrName,
                      builder.getI64IntegerAttr(buffers[0].offset));
    function->setAttr(pixelsOffsetAttrName,
                      builder.getI64IntegerAttr(buffers[1].offset));
    function->setAttr(workspaceBytesAttrName, builder.getI64IntegerAttr(end));
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isa<AllocOp, ViewOp>(op) && op.use_empty())
        op.erase();
    return success();
  }
};

} // namespace
