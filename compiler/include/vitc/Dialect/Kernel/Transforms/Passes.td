// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over the kernel dialect: every byte gets its place, and a batch shares what it can.

#ifndef VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_TD
#define VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanWorkspacePass : Pass<"kernel-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "give every buffer its place in one workspace";
  let description = [{
    Buffers whose lives (from the first call that uses them to the last) do not overlap may share memory. Larger buffers are placed first, each at
    the lowest offset where it fits. The preprocessed picture and, before the first call, the preprocessing's scratch
    (`kernel.scratch_bytes` on the function) have their places too.

    The function gets `kernel.workspace_bytes`, `kernel.pixels_offset` and `kernel.scratch_offset`.
  }];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
  let statistics = [Statistic<"unshared", "bytes-without-sharing", "workspace if no two buffers shared memory">,
                    Statistic<"planned", "bytes-planned", "workspace as planned">];
}

def JoinRowsPass : Pass<"kernel-join-rows", "::mlir::ModuleOp"> {
  let summary = "compute the last layers, of one row an image, for all images of a batch at once";
  let description = [{
    A library runs the function for each image of its batch. At the end of a classifier, layers have one row an image and wait for their weights;
    the calls from the first such layer on that end the function, all of them rows alone, become calls for all images (`kernel.call … images`), which read the weights once.
    A row has the same bits as before. The workspace must be planned: the images' parts of it follow each other.
  }];
  let options = [Option<"images", "images", "int64_t", "1", "images of the batch">];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
  let statistics = [Statistic<"joinedCalls", "joined-calls", "calls that run once for all images">];
}

def PlanWeightsPass : Pass<"kernel-plan-weights", "::mlir::ModuleOp"> {
  let summary = "give every constant its place in the weights file";
  let description = [{
    Constants stand in the order in which the function reads them, so that a run goes through the file once from front to back; constants that
    nobody reads are removed. The module gets `kernel.weights_bytes`.
  }];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
}

#endif // VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_TD
