// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes over the kernel dialect: every byte gets its place, and a batch shares what it can.

#ifndef VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_TD
#define VITC_DIALECT_KERNEL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"kernel-attach-target", "::mlir::ModuleOp"> {
  let summary = "say what the module is compiled for";
  let description = [{
    The module gets `kernel.target`, which the passes that depend on the target read.
    ```
    --kernel-attach-target="panel=32 levels=avx2:strassen,zen4:winograd"
    ```
    gives
    ```mlir
    module attributes {kernel.target = #kernel.target<panel = 32, levels = [<"avx2", strassen>, <"zen4", winograd>]>}
    ```
  }];
  let options = [Option<"panel", "panel", "int64_t", "16", "columns in a panel of packed weights">,
                 ListOption<"levels", "levels", "std::string", "levels, each with an algorithm for the products that gain by it, name:algorithm; one level called any if none is given">];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
}

def PlanWorkspacePass : Pass<"kernel-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "give every buffer its place in one workspace";
  let description = [{
    Buffers whose lives (from the first call that uses them to the last) do not overlap may share memory. Larger buffers are placed first, each at
    the lowest offset where it fits. The preprocessed image and, before the first call, the preprocessing's scratch
    (`kernel.scratch_bytes` on the function) have their places too.

    The function gets `kernel.workspace_bytes`, `kernel.pixels_offset` and `kernel.scratch_offset`.
  }];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
  let statistics = [Statistic<"unshared", "bytes-without-sharing", "workspace if no two buffers shared memory">,
                    Statistic<"planned", "bytes-planned", "workspace as planned">];
}

def BatchTailPass : Pass<"kernel-batch-tail", "::mlir::ModuleOp"> {
  let summary = "compute the batch tail, the last layers of one row an image, for several images at once";
  let description = [{
    A library runs the function for each image of its batch. At the end of a classifier, layers have one row an image and wait for their weights;
    the calls from the first such layer on that end the function, all of them rows alone, become calls for several images (`kernel.call … images`), which read the weights once.
    A row has the same bits as before. Copies among them stay each image's own. The workspace must be planned: the images' parts of it follow each other.

    A call computes 4 to 8 images, a divisor of the batch; where there is none, the batch's least divisor above 8, or a batch below 4 itself.
  }];
  let options = [Option<"images", "images", "int64_t", "1", "images of the batch">];
  let dependentDialects = ["::vitc::kernel::KernelDialect"];
  let statistics = [Statistic<"batchedCalls", "batched-calls", "calls that run once for several images">];
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
