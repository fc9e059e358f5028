// Every op of the dialect, with and without its optional parts, survives being printed and parsed again.
// RUN: %vitc-opt %s | %vitc-opt | FileCheck %s
// RUN: %vitc-opt %s --mlir-print-op-generic | %vitc-opt | FileCheck %s

vit.parameter @w : tensor<20x8xf32>
vit.parameter @s : tensor<64x8xf32>
vit.parameter @b : tensor<20xf32>

// Fields stand in the definition's order, without those that may be left out.
// CHECK: kernel.spec @gemm #kernel.gemm<m = 4, n = 20, k = 8, panel = 16, lda = 8, ldc = 32, bias = true, residual = false, activation = gelu> words "4x20x8_gelu" flops 1.280000e+03 bytes 0.000000e+00
kernel.spec @gemm #kernel.gemm<k = 8, n = 20, m = 4, panel = 16, strassen = false, lda = 8, ldc = 32, bias = true, residual = false, activation = gelu> words "4x20x8_gelu" flops 1280.0 bytes 0.0

// Those that are there with others, and numbers.
// CHECK: kernel.spec @attention #kernel.attention<batch = 1, heads = 2, tokens = 4, queries = 3, head_dim = 8, scale = -1.250000e-01, ldq = 16, ldk = 16, ldv = 16, ldo = 16, probabilities = true, prob_batch_stride = 24, masks = 1, ldb = 16> words
kernel.spec @attention #kernel.attention<batch = 1, heads = 2, tokens = 4, queries = 3, head_dim = 8, scale = -0.125, ldq = 16, ldk = 16, ldv = 16, ldo = 16, probabilities = true, prob_batch_stride = 24, masks = 1, ldb = 16> words "" flops 0.0 bytes 0.0
// CHECK: kernel.spec @norm #kernel.norm<rows = 1, cols = 4, ldx = 4, ldy = 4, eps = 1.000000e-05, affine = true, shift = false, kind = rms, groups = 2> words
kernel.spec @norm #kernel.norm<rows = 1, cols = 4, ldx = 4, ldy = 4, eps = 1.0e-5, affine = true, shift = false, kind = rms, groups = 2> words "" flops 0.0 bytes 0.0

// CHECK: kernel.spec @copy #kernel.copy<shape = [1, 1, 4, 20], src_strides = [0, 0, 32, 1], dst_strides = [0, 0, 20, 1]> words "" flops
kernel.spec @copy #kernel.copy<shape = [1, 1, 4, 20], src_strides = [0, 0, 32, 1], dst_strides = [0, 0, 20, 1]> words "" flops 0.0 bytes 80.0

// CHECK: kernel.constant @w.panels #kernel.panels<16> of @w : memref<2x8x16xf32>{{$}}
kernel.constant @w.panels #kernel.panels<16> of @w : memref<2x8x16xf32>
// CHECK: kernel.constant @s.strassen #kernel.strassen<16> of @s : memref<2x7x4x16xf32>{{$}}
kernel.constant @s.strassen #kernel.strassen<16> of @s : memref<2x7x4x16xf32>
// CHECK: kernel.constant @s.sums #kernel.winograd_sums<32> of @s : memref<80xf32>{{$}}
kernel.constant @s.sums #kernel.winograd_sums<32> of @s : memref<80xf32>
// CHECK: kernel.constant @s.parts #kernel.strassen<16, parts = 2> of @s : memref<4x7x2x16xf32>{{$}}
kernel.constant @s.parts #kernel.strassen<16, parts = 2> of @s : memref<4x7x2x16xf32>
// CHECK: kernel.constant @b.rows #kernel.rows<32> of @b : memref<1x32xf32> at 1024
kernel.constant @b.rows #kernel.rows<32> of @b : memref<1x32xf32> at 1024

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:[^:]+]]: memref<4x8xf32>
func.func @forward(%x: memref<4x8xf32>, %y: memref<4x20xf32>) {
  // CHECK: %[[W:.+]] = kernel.weight @w.panels : memref<2x8x16xf32>
  %w = kernel.weight @w.panels : memref<2x8x16xf32>
  // CHECK: %[[B:.+]] = kernel.weight @b.rows
  %b = kernel.weight @b.rows : memref<1x32xf32>
  // CHECK: kernel.alloc : memref<f32>
  %0 = kernel.alloc : memref<f32>
  // CHECK: %[[OUT:.+]] = kernel.alloc at 128 : memref<4x20xf32, strided<[32, 1]>>
  %1 = kernel.alloc at 128 : memref<4x20xf32, strided<[32, 1]>>
  // CHECK: kernel.view %[[OUT]] : memref<4x20xf32, strided<[32, 1]>> -> memref<4x4xf32, strided<[32, 1], offset: 16>>
  %2 = kernel.view %1 : memref<4x20xf32, strided<[32, 1]>> -> memref<4x4xf32, strided<[32, 1], offset: 16>>
  // CHECK: kernel.call @gemm ins(%[[X]], %[[W]], %[[B]] : memref<4x8xf32>, memref<2x8x16xf32>, memref<1x32xf32>) outs(%[[OUT]] :
  kernel.call @gemm ins(%x, %w, %b : memref<4x8xf32>, memref<2x8x16xf32>, memref<1x32xf32>)
                    outs(%1 : memref<4x20xf32, strided<[32, 1]>>)
  // CHECK: kernel.call @copy ins(%[[OUT]] : {{.*}}) outs(%{{.+}} : memref<4x20xf32>) branch 0
  kernel.call @copy ins(%1 : memref<4x20xf32, strided<[32, 1]>>) outs(%y : memref<4x20xf32>) branch 0
  // CHECK: kernel.call @copy ins(%[[OUT]] : {{.*}}) outs(%{{.+}} : memref<4x20xf32>) branch 1
  kernel.call @copy ins(%1 : memref<4x20xf32, strided<[32, 1]>>) outs(%y : memref<4x20xf32>) branch 1
  // CHECK: kernel.call @copy ins(%[[OUT]] : {{.*}}) outs(%{{.+}} : memref<4x20xf32>){{$}}
  kernel.call @copy ins(%1 : memref<4x20xf32, strided<[32, 1]>>) outs(%y : memref<4x20xf32>)
  // CHECK: kernel.call @copy ins(%[[OUT]] : {{.*}}) outs(%{{.+}} : memref<4x20xf32>) images 8
  kernel.call @copy ins(%1 : memref<4x20xf32, strided<[32, 1]>>) outs(%y : memref<4x20xf32>) images 8
  return
}
