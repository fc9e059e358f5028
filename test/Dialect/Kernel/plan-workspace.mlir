// RUN: %vitc-opt %s --kernel-plan-workspace --split-input-file --verify-diagnostics | FileCheck %s

// Three buffers of 256 bytes in a row, where the first is dead when the third comes: two places are enough. The image lives until the
// first call, beside its result; the scratch of the preprocessing is dead by then.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: kernel.pixels_offset = 256 : i64
// CHECK-SAME: kernel.scratch_bytes = 100 : i64, kernel.scratch_offset = 0 : i64, kernel.workspace_bytes = 512 : i64
// CHECK: kernel.alloc at 0 :
// CHECK: kernel.alloc at 256 :
// CHECK: kernel.alloc at 0 :
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @chain(%image: memref<16xf32>, %y: memref<64xf32>) attributes {kernel.scratch_bytes = 100 : i64} {
  %0 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%image : memref<16xf32>) outs(%0 : memref<64xf32>)
  %1 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%0 : memref<64xf32>) outs(%1 : memref<64xf32>)
  %2 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%1 : memref<64xf32>) outs(%2 : memref<64xf32>)
  kernel.call @s ins(%2 : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// Calls that may run concurrently share no memory, though the first branch is done with its scratch when the second one starts in turn.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: kernel.workspace_bytes = 512 : i64
// CHECK: kernel.alloc at 0 :
// CHECK: kernel.alloc at 256 :
kernel.spec @s #kernel.gemm<m = 1, n = 2, k = 2, panel = 1, strassen = true, lda = 2, ldc = 2, bias = false, residual = false, activation = none> words "one" flops 0.0 bytes 0.0
func.func @branches(%image: memref<16xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  %0 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%y, %y : memref<64xf32>, memref<64xf32>) outs(%0, %y : memref<64xf32>, memref<64xf32>) branch 0
  kernel.call @s ins(%y, %y : memref<64xf32>, memref<64xf32>) outs(%0, %y : memref<64xf32>, memref<64xf32>) branch 0
  %1 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%z, %z : memref<64xf32>, memref<64xf32>) outs(%1, %z : memref<64xf32>, memref<64xf32>) branch 1
  return
}

// -----

// The next pair of branches is another time.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: kernel.workspace_bytes = 256 : i64
kernel.spec @s #kernel.gemm<m = 1, n = 2, k = 2, panel = 1, strassen = true, lda = 2, ldc = 2, bias = false, residual = false, activation = none> words "one" flops 0.0 bytes 0.0
kernel.spec @c #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @pairs(%image: memref<16xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  %0 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%y, %y : memref<64xf32>, memref<64xf32>) outs(%0, %y : memref<64xf32>, memref<64xf32>) branch 0
  kernel.call @c ins(%z : memref<64xf32>) outs(%z : memref<64xf32>) branch 1
  %1 = kernel.alloc : memref<64xf32>
  kernel.call @s ins(%y, %y : memref<64xf32>, memref<64xf32>) outs(%1, %y : memref<64xf32>, memref<64xf32>) branch 0
  kernel.call @c ins(%z : memref<64xf32>) outs(%z : memref<64xf32>) branch 1
  return
}

// -----

// A buffer lives until the last call that reads it through any view; only the image's place is free for the last one.
// CHECK-LABEL: func.func @views
// CHECK-SAME: kernel.workspace_bytes = 256 : i64
// CHECK: kernel.alloc at 0 : memref<32xf32>
// CHECK: kernel.alloc at 192 : memref<16xf32>
// CHECK: kernel.alloc at 128 : memref<16xf32>
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
kernel.spec @a #kernel.add<rows = 1, cols = 1, lda = 1, ldb = 1, ldc = 1, period = 1> words "one" flops 0.0 bytes 0.0
func.func @views(%image: memref<16xf32>, %y: memref<16xf32>) {
  %0 = kernel.alloc : memref<32xf32>
  kernel.call @s ins(%image : memref<16xf32>) outs(%0 : memref<32xf32>)
  %v = kernel.view %0 : memref<32xf32> -> memref<16xf32, strided<[1], offset: 16>>
  %w = kernel.view %v : memref<16xf32, strided<[1], offset: 16>> -> memref<8xf32, strided<[1], offset: 24>>
  %1 = kernel.alloc : memref<16xf32>
  kernel.call @s ins(%image : memref<16xf32>) outs(%1 : memref<16xf32>)
  %2 = kernel.alloc : memref<16xf32>
  kernel.call @a ins(%w, %1 : memref<8xf32, strided<[1], offset: 24>>, memref<16xf32>) outs(%2 : memref<16xf32>)
  kernel.call @s ins(%2 : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}

// -----

// Rows are placed with their padding, the last one too: kernels may write it. 24 floats in rows of 32 take 256 bytes, not 224.
// CHECK-LABEL: func.func @padding
// CHECK-SAME: kernel.workspace_bytes = 320 : i64
// CHECK: kernel.alloc at 0 : memref<2x24xf32
// CHECK: kernel.alloc at 256 : memref<1xf32>
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @padding(%image: memref<1xf32>) {
  %0 = kernel.alloc : memref<2x24xf32, strided<[32, 1]>>
  %1 = kernel.alloc : memref<1xf32>
  kernel.call @s ins(%1 : memref<1xf32>) outs(%0 : memref<2x24xf32, strided<[32, 1]>>)
  return
}

// -----

// What no call uses needs no place; a second plan is the first.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: kernel.pixels_offset = 0 : i64, kernel.scratch_offset = 0 : i64, kernel.workspace_bytes = 64 : i64
// CHECK-NOT: kernel.alloc
// CHECK-NOT: kernel.view
// CHECK: return
func.func @unused(%image: memref<4xf32>) {
  %0 = kernel.alloc : memref<1024xf32>
  %1 = kernel.alloc at 4096 : memref<1024xf32>
  %2 = kernel.view %1 : memref<1024xf32> -> memref<16xf32>
  %3 = kernel.view %2 : memref<16xf32> -> memref<4xf32>
  return
}

// -----

// Anything else that takes a buffer is a use too.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: kernel.workspace_bytes = 128 : i64
// CHECK: %[[KEPT:.+]] = kernel.alloc at 0
// CHECK: kernel.alloc at 64
// CHECK: return %[[KEPT]]
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @returned(%image: memref<4xf32>, %y: memref<4xf32>) -> memref<16xf32> {
  %0 = kernel.alloc : memref<16xf32>
  kernel.call @s ins(%y : memref<4xf32>) outs(%0 : memref<16xf32>)
  %1 = kernel.alloc : memref<16xf32>
  kernel.call @s ins(%y : memref<4xf32>) outs(%1 : memref<16xf32>)
  return %0 : memref<16xf32>
}

// -----

// CHECK: func.func private @external(memref<4xf32>){{$}}
func.func private @external(memref<4xf32>)

// -----

// expected-error @+1 {{the first argument must be the preprocessed image, a buffer}}
func.func @no_image() {
  return
}

// -----

// expected-error @+1 {{the first argument must be the preprocessed image, a buffer}}
func.func @tensors(%image: tensor<4xf32>) {
  return
}

// -----

// expected-error @+1 {{kernel.scratch_bytes must be an i64 that is not negative}}
func.func @negative_scratch(%image: memref<4xf32>) attributes {kernel.scratch_bytes = -64 : i64} {
  return
}

// -----

// expected-error @+1 {{kernel.scratch_bytes must be an i64 that is not negative}}
func.func @no_number(%image: memref<4xf32>) attributes {kernel.scratch_bytes = "many"} {
  return
}
