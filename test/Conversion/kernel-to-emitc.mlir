// RUN: %vitc-opt %s --convert-kernel-to-emitc=namespace=example | FileCheck %s --implicit-check-not=kernel. --implicit-check-not=func.func
// RUN: %vitc-opt %s --convert-kernel-to-emitc=namespace=example | mlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=CPP
// RUN: %vitc-opt %S/Inputs/kernel-to-emitc-levels.mlir --convert-kernel-to-emitc="kernel-suffix=_avx2 level=avx2" | mlir-translate --mlir-to-cpp | FileCheck %S/Inputs/kernel-to-emitc-levels.mlir --check-prefix=AVX2
// RUN: %vitc-opt %S/Inputs/kernel-to-emitc-levels.mlir --convert-kernel-to-emitc="kernel-suffix=_zen4 level=zen4" | mlir-translate --mlir-to-cpp | FileCheck %S/Inputs/kernel-to-emitc-levels.mlir --check-prefix=ZEN4
// RUN: split-file %S/Inputs/kernel-to-emitc-errors.mlir %t
// RUN: not %vitc-opt %t/workspace.mlir --convert-kernel-to-emitc 2>&1 | FileCheck %t/workspace.mlir
// RUN: not %vitc-opt %t/weights.mlir --convert-kernel-to-emitc 2>&1 | FileCheck %t/weights.mlir
// RUN: not %vitc-opt %t/nothing.mlir --convert-kernel-to-emitc 2>&1 | FileCheck %t/nothing.mlir
// RUN: not %vitc-opt %t/branch.mlir --convert-kernel-to-emitc 2>&1 | FileCheck %t/branch.mlir

// CHECK: emitc.include "vitc/runtime/engine.h"
// CHECK: emitc.verbatim {{.*}}extern
// Each kernel is declared once, inputs before outputs.
// CHECK-COUNT-1: emitc.verbatim "void gemm(void *context, const float *, const float *, float *);"
// CHECK-COUNT-1: emitc.verbatim "void fill(void *context, const float *, float *);"
// CHECK-NOT: emitc.verbatim "void
// CHECK: emitc.func @forward(%{{.+}}: !emitc.opaque<"const vitc::rt::Invocation &">)
// CHECK: %[[THREADS:.+]] = literal "run.threads"
// CHECK: %[[PIXELS:.+]] = literal "run.pixels"
// CHECK: %[[WEIGHT:.+]] = literal "weight<float>(run, 128)"
// CHECK: %[[BUFFER:.+]] = literal "buffer<float>(run, 256)"
// CHECK: call_opaque "gemm"(%[[THREADS]], %[[PIXELS]], %[[WEIGHT]], %[[BUFFER]])
// CHECK: %[[INVOCATION:.+]] = literal "run"
// CHECK: %[[STEP:.+]] = literal "0"
// CHECK: call_opaque "done"(%[[INVOCATION]], %[[STEP]])

// CPP: #include "vitc/runtime/engine.h"
// CPP: extern "C" {
// CPP-NEXT: void gemm(
// CPP-NEXT: void fill(
// CPP-NEXT: }
// CPP: namespace example {
// CPP-NEXT: void forward(const vitc::rt::Invocation & [[ARG:.+]]) {
// CPP-NEXT: const auto &run = [[ARG]];
// CPP-NEXT: using namespace vitc::rt;
// A line for each call, under the name of its layer; calls of one layer stand under one name.
// CPP-NEXT: // encoder
// CPP-NEXT: gemm(run.threads, run.pixels, weight<float>(run, 128), buffer<float>(run, 256));
// CPP-NEXT: done(run, 0);
// Views are places: 16 floats into the buffer, 8 into the weights, 4 into the image.
// CPP-NEXT: gemm(run.threads, run.pixels + 4, weight<float>(run, 160), buffer<float>(run, 320));
// CPP-NEXT: done(run, 1);
// CPP-NEXT: // head
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 0, 0));
// CPP-NEXT: done(run, 2);
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 1, 16));
// CPP-NEXT: done(run, 3);
// Branches are two functions; a pair that follows is another.
// CPP-NEXT: runConcurrently(run, [](const Invocation &run) {
// CPP-NEXT: // tail
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 0, 0));
// CPP-NEXT: done(run, 4);
// CPP-NEXT: }, [](const Invocation &run) {
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 1, 0));
// CPP-NEXT: done(run, 5);
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 1, 0));
// CPP-NEXT: done(run, 6);
// CPP-NEXT: });
// CPP-NEXT: runConcurrently(run, [](const Invocation &run) {
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 0, 0));
// CPP-NEXT: done(run, 7);
// CPP-NEXT: }, [](const Invocation &run) {
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 1, 0));
// CPP-NEXT: done(run, 8);
// CPP-NEXT: });
// CPP-NEXT: return;
// CPP-NEXT: }
// Calls for several images of a batch are a function of their own; the steps go on. One for each image's own output is run for those that are given.
// CPP: void finish(const vitc::rt::Invocation & [[BATCH:.+]]) {
// CPP-NEXT: const auto &run = [[BATCH]];
// CPP-NEXT: using namespace vitc::rt;
// CPP-NEXT: // all
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 0, 0));
// CPP-NEXT: done(run, 9);
// CPP-NEXT: eachImage(run, [](const Invocation &run) {
// CPP-NEXT: // each
// CPP-NEXT: fill(run.threads, weight<float>(run, 128), output<float>(run, 0, 0));
// CPP-NEXT: done(run, 10);
// CPP-NEXT: });
// CPP-NEXT: return;
// CPP-NEXT: }
// CPP: } // namespace example

vit.parameter @w : tensor<16xf32>
kernel.constant @w.rows #kernel.rows<16> of @w : memref<1x16xf32> at 128
kernel.spec @gemm #kernel.add<rows = 1, cols = 1, lda = 1, ldb = 1, ldc = 1, period = 1> words "one" flops 0.0 bytes 0.0
kernel.spec @fill #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @forward(%image: memref<4x4xf32>, %y: memref<4xf32>, %z: memref<2x4xf32>) {
  %w = kernel.weight @w.rows : memref<1x16xf32>
  %0 = kernel.alloc at 256 : memref<4x4xf32, strided<[16, 1]>>
  kernel.call @gemm ins(%image, %w : memref<4x4xf32>, memref<1x16xf32>) outs(%0 : memref<4x4xf32, strided<[16, 1]>>) loc("encoder")
  %1 = kernel.view %image : memref<4x4xf32> -> memref<4xf32, strided<[1], offset: 4>>
  %2 = kernel.view %w : memref<1x16xf32> -> memref<8xf32, strided<[1], offset: 8>>
  %3 = kernel.view %0 : memref<4x4xf32, strided<[16, 1]>> -> memref<2x4xf32, strided<[16, 1], offset: 16>>
  kernel.call @gemm ins(%1, %2 : memref<4xf32, strided<[1], offset: 4>>, memref<8xf32, strided<[1], offset: 8>>)
                    outs(%3 : memref<2x4xf32, strided<[16, 1], offset: 16>>) loc("encoder")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%y : memref<4xf32>) loc("head")
  %4 = kernel.view %z : memref<2x4xf32> -> memref<4xf32, strided<[1], offset: 4>>
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%4 : memref<4xf32, strided<[1], offset: 4>>) loc("head")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%y : memref<4xf32>) branch 0 loc("tail")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%z : memref<2x4xf32>) branch 1 loc("tail")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%z : memref<2x4xf32>) branch 1 loc("tail")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%y : memref<4xf32>) branch 0 loc("tail")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%z : memref<2x4xf32>) branch 1 loc("tail")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%y : memref<4xf32>) images 8 loc("all")
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%y : memref<4xf32>) images 1 loc("each")
  return
}
