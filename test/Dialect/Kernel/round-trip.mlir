// Every op of the dialect, with and without its optional parts, survives being printed and parsed again.
// RUN: %vitc-opt %s | %vitc-opt | FileCheck %s
// RUN: %vitc-opt %s --mlir-print-op-generic | %vitc-opt | FileCheck %s

vit.parameter @w : tensor<20x8xf32>
vit.parameter @s : tensor<64x8xf32>
vit.parameter @b : tensor<20xf32>

// CHECK: kernel.spec @gemm "gemm" {activation = "none", bias = true, eps = 5.000000e-01 : f64, m = 4 : i64, shape = array<i64: 1, 2>} flops 1.280000e+03 bytes 0.000000e+00
kernel.spec @gemm "gemm" {activation = "none", bias = true, eps = 0.5, m = 4, shape = array<i64: 1, 2>} flops 1280.0 bytes 0.0

// CHECK: kernel.spec @empty "fill" {} flops
kernel.spec @empty "fill" {} flops 0.0 bytes 80.0

// CHECK: kernel.constant @w.panels panels of @w : memref<2x8x16xf32>{{$}}
kernel.constant @w.panels panels of @w : memref<2x8x16xf32>
// CHECK: kernel.constant @s.strassen strassen of @s : memref<2x7x4x16xf32>{{$}}
kernel.constant @s.strassen strassen of @s : memref<2x7x4x16xf32>
// CHECK: kernel.constant @s.pairs pairs of @s : memref<80xf32>{{$}}
kernel.constant @s.pairs pairs of @s : memref<80xf32>
// CHECK: kernel.constant @s.parts strassen of @s : memref<4x7x2x16xf32>{{$}}
kernel.constant @s.parts strassen of @s : memref<4x7x2x16xf32>
// CHECK: kernel.constant @b.rows rows of @b : memref<1x32xf32> at 1024
kernel.constant @b.rows rows of @b : memref<1x32xf32> at 1024

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
  // CHECK: kernel.call @empty outs(%{{.+}} : memref<4x20xf32>) branch 0
  kernel.call @empty outs(%y : memref<4x20xf32>) branch 0
  // CHECK: kernel.call @empty outs(%{{.+}} : memref<4x20xf32>) branch 1
  kernel.call @empty outs(%y : memref<4x20xf32>) branch 1
  // CHECK: kernel.call @empty outs(%{{.+}} : memref<4x20xf32>){{$}}
  kernel.call @empty outs(%y : memref<4x20xf32>)
  // CHECK: kernel.call @empty outs(%{{.+}} : memref<4x20xf32>) images 8
  kernel.call @empty outs(%y : memref<4x20xf32>) images 8
  return
}
