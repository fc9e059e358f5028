// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail=images=8 --split-input-file | FileCheck %s --implicit-check-not=images
// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail --split-input-file | FileCheck %s --check-prefix=ONE --implicit-check-not=images
// RUN: not %vitc-opt %s --kernel-batch-tail=images=8 --split-input-file 2>&1 | FileCheck %s --check-prefix=UNPLANNED

// As many images at once as divide the batch: 4 to 8, else more.
// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail=images=32 --split-input-file | FileCheck %s --check-prefix=EIGHT
// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail=images=12 --split-input-file | FileCheck %s --check-prefix=SIX
// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail=images=22 --split-input-file | FileCheck %s --check-prefix=ELEVEN
// RUN: %vitc-opt %s --kernel-plan-workspace --kernel-batch-tail=images=3 --split-input-file | FileCheck %s --check-prefix=THREE
// EIGHT: kernel.call @gemm_1x16x16_add_x8_{{.*}} images 8
// SIX: kernel.call @gemm_1x16x16_add_x6_{{.*}} images 6
// ELEVEN: kernel.call @gemm_1x16x16_add_x11_{{.*}} images 11
// THREE: kernel.call @gemm_1x16x16_add_x3_{{.*}} images 3

// UNPLANNED: error: the workspace has no size: run kernel-plan-workspace first

// The last layers of a classifier: from the first layer of one row on, all images' rows stand a workspace of 512 bytes apart, 128 floats, and go
// through the weights together. What a layer reads of an earlier call is each image's own. The layer's bits are those of one row.
// CHECK-DAG: kernel.spec @gemm_2x16x16_0 #kernel.gemm<{{.*}}m = 2
// CHECK-DAG: kernel.spec @gemm_1x16x16_add_x8_{{.*}} #kernel.gemm<{{.*}}m = 8{{.*}}lda = 128{{.*}}ldc = 128{{.*}}ldr = 128{{.*}}row_invariant = true{{.*}} flops 4.096000e+03 bytes 2.560000e+03
// CHECK-DAG: kernel.spec @norm_1x16_x8_{{.*}} #kernel.norm<rows = 8, cols = 16, ldx = 128, ldy = 128, eps = 5.000000e-01, affine = false>
// CHECK-DAG: kernel.spec @copy_1x1x1x16_0 #kernel.copy<
// CHECK-LABEL: func.func @classifier
// CHECK-SAME: kernel.workspace_bytes = 512
// CHECK: kernel.call @gemm_2x16x16_0
// CHECK: kernel.call @norm_1x16_0 {{.*}}{{$}}
// CHECK: kernel.call @gemm_1x16x16_add_x8_{{.*}} images 8
// CHECK: kernel.call @norm_1x16_x8_{{.*}} images 8
// An output has no room for images that a run was not given: its copy is each image's own.
// CHECK: kernel.call @copy_1x1x1x16_0 {{.*}} images 1{{$}}
// ONE-LABEL: func.func @classifier
vit.parameter @w : tensor<16x16xf32>
kernel.constant @w.panels #kernel.panels<16> of @w : memref<1x16x16xf32>
kernel.spec @gemm_2x16x16_0 #kernel.gemm<m = 2, n = 16, k = 16, panel = 16, lda = 16, ldc = 32, bias = false, residual = false, activation = none> words "2x16x16" flops 1024.0 bytes 1280.0
kernel.spec @norm_1x16_0 #kernel.norm<rows = 1, cols = 16, ldx = 32, ldy = 32, eps = 0.5, affine = false> words "1x16" flops 64.0 bytes 128.0
kernel.spec @gemm_1x16x16_add_0 #kernel.gemm<m = 1, n = 16, k = 16, panel = 16, lda = 32, ldc = 32, bias = false, residual = true, ldr = 32, activation = none> words "1x16x16_add" flops 512.0 bytes 1216.0
kernel.spec @copy_1x1x1x16_0 #kernel.copy<shape = [1, 1, 1, 16], src_strides = [0, 16, 16, 1], dst_strides = [0, 16, 16, 1]> words "1x1x1x16" flops 0.0 bytes 128.0
func.func @classifier(%image: memref<2x16xf32>, %logits: memref<1x16xf32>) {
  %w = kernel.weight @w.panels : memref<1x16x16xf32>
  %0 = kernel.alloc : memref<2x16xf32, strided<[32, 1]>>
  kernel.call @gemm_2x16x16_0 ins(%image, %w : memref<2x16xf32>, memref<1x16x16xf32>) outs(%0 : memref<2x16xf32, strided<[32, 1]>>)
  %1 = kernel.view %0 : memref<2x16xf32, strided<[32, 1]>> -> memref<1x16xf32, strided<[32, 1], offset: 32>>
  %2 = kernel.alloc : memref<1x16xf32, strided<[32, 1]>>
  // A norm alone does not wait for weights.
  kernel.call @norm_1x16_0 ins(%1 : memref<1x16xf32, strided<[32, 1], offset: 32>>) outs(%2 : memref<1x16xf32, strided<[32, 1]>>)
  %3 = kernel.alloc : memref<1x16xf32, strided<[32, 1]>>
  kernel.call @gemm_1x16x16_add_0 ins(%2, %w, %1 : memref<1x16xf32, strided<[32, 1]>>, memref<1x16x16xf32>, memref<1x16xf32, strided<[32, 1], offset: 32>>) outs(%3 : memref<1x16xf32, strided<[32, 1]>>)
  %4 = kernel.alloc : memref<1x16xf32, strided<[32, 1]>>
  kernel.call @norm_1x16_0 ins(%3 : memref<1x16xf32, strided<[32, 1]>>) outs(%4 : memref<1x16xf32, strided<[32, 1]>>)
  kernel.call @copy_1x1x1x16_0 ins(%4 : memref<1x16xf32, strided<[32, 1]>>) outs(%logits : memref<1x16xf32>)
  return
}

// -----

// No call is batched before one that cannot be: a layer of two rows, one with a Strassen product, a copy of the image.
// CHECK-LABEL: func.func @rows
// ONE-LABEL: func.func @rows
vit.parameter @w : tensor<16x16xf32>
kernel.constant @w.panels #kernel.panels<16> of @w : memref<1x16x16xf32>
kernel.spec @one #kernel.gemm<m = 1, n = 16, k = 16, panel = 16, lda = 16, ldc = 16, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0
kernel.spec @two #kernel.gemm<m = 2, n = 16, k = 16, panel = 16, lda = 16, ldc = 16, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0
func.func @rows(%image: memref<2x16xf32>) {
  %w = kernel.weight @w.panels : memref<1x16x16xf32>
  %0 = kernel.alloc : memref<2x16xf32>
  kernel.call @one ins(%0, %w : memref<2x16xf32>, memref<1x16x16xf32>) outs(%0 : memref<2x16xf32>)
  kernel.call @two ins(%0, %w : memref<2x16xf32>, memref<1x16x16xf32>) outs(%0 : memref<2x16xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @strassen
// ONE-LABEL: func.func @strassen
vit.parameter @w : tensor<16x16xf32>
kernel.constant @w.strassen #kernel.strassen<8> of @w : memref<1x7x8x8xf32>
kernel.spec @seven #kernel.gemm<m = 1, n = 16, k = 16, panel = 8, strassen = true, lda = 16, ldc = 16, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0
func.func @strassen(%image: memref<2x16xf32>) {
  %w = kernel.weight @w.strassen : memref<1x7x8x8xf32>
  %0 = kernel.alloc : memref<2x16xf32>
  %1 = kernel.alloc : memref<40xf32>
  kernel.call @seven ins(%0, %w : memref<2x16xf32>, memref<1x7x8x8xf32>) outs(%1, %0 : memref<40xf32>, memref<2x16xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @image
// ONE-LABEL: func.func @image
vit.parameter @w : tensor<16x16xf32>
kernel.constant @w.panels #kernel.panels<16> of @w : memref<1x16x16xf32>
kernel.spec @one #kernel.gemm<m = 1, n = 16, k = 16, panel = 16, lda = 16, ldc = 16, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0
kernel.spec @copy #kernel.copy<shape = [1, 1, 1, 16], src_strides = [0, 16, 16, 1], dst_strides = [0, 16, 16, 1]> words "1x1x1x16" flops 0.0 bytes 0.0
func.func @image(%image: memref<1x16xf32>, %y: memref<1x16xf32>) {
  %w = kernel.weight @w.panels : memref<1x16x16xf32>
  %0 = kernel.alloc : memref<1x16xf32>
  kernel.call @one ins(%0, %w : memref<1x16xf32>, memref<1x16x16xf32>) outs(%0 : memref<1x16xf32>)
  kernel.call @copy ins(%image : memref<1x16xf32>) outs(%y : memref<1x16xf32>)
  return
}

// -----

// A row of 20 floats, 20 apart, has no padding; 32 apart it would have 12 floats that are another's.
// CHECK-LABEL: func.func @unpadded
// ONE-LABEL: func.func @unpadded
vit.parameter @w : tensor<16x16xf32>
kernel.constant @w.panels #kernel.panels<16> of @w : memref<1x16x16xf32>
kernel.spec @one #kernel.gemm<m = 1, n = 16, k = 16, panel = 16, lda = 16, ldc = 16, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0
kernel.spec @norm #kernel.norm<rows = 1, cols = 20, ldx = 20, ldy = 20, eps = 0.5, affine = false> words "" flops 0.0 bytes 0.0
func.func @unpadded(%image: memref<1x16xf32>) {
  %w = kernel.weight @w.panels : memref<1x16x16xf32>
  %0 = kernel.alloc : memref<1x20xf32>
  kernel.call @one ins(%0, %w : memref<1x20xf32>, memref<1x16x16xf32>) outs(%0 : memref<1x20xf32>)
  kernel.call @norm ins(%0 : memref<1x20xf32>) outs(%0 : memref<1x20xf32>)
  return
}
