// Layers with many rows and long sums are Winograd products. What nobody reads any more is scaled where it stands, what is needed
// later in a place of its own; rows have room for what is put behind them.
// CHECK: kernel.constant @w.panels #kernel.panels<32> of @w : memref<4x192x32xf32>
// CHECK: kernel.constant @w.winograd_sums #kernel.winograd_sums<32> of @w : memref<144xf32>
// CHECK: kernel.spec @[[FIRST:gemm_49x128x192_[0-9a-f]+]] #kernel.gemm<m = 49, n = 128, k = 192, panel = 32, lda = 208, {{.*}}bias = false, residual = false, activation = none, winograd = true, lds = 208>
// CHECK: kernel.constant @v.winograd_sums #kernel.winograd_sums<32> of @v : memref<144xf32>
// CHECK: kernel.spec @[[SECOND:gemm_49x128x192_gelu_[0-9a-f]+]] #kernel.gemm<
// Sums of 128 steps are too short.
// CHECK: kernel.spec @[[SHORT:gemm_49x192x128_[0-9a-f]+]] #kernel.gemm<
// CHECK-NOT: winograd
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.+]] = kernel.alloc : memref<49x192xf32, strided<[208, 1]>>
// CHECK: %[[SCALED:.+]] = kernel.alloc : memref<49x192xf32, strided<[208, 1]>>
// CHECK: kernel.call @[[FIRST]] ins(%[[X]], {{.*}}) outs(%[[SCALED]], %{{.+}} :
// CHECK: kernel.call @[[SECOND]] ins(%[[X]], {{.*}}) outs(%[[X]], %{{.+}} :
// CHECK: kernel.call @[[SHORT]]
vit.parameter @e : tensor<192x3x2x2xf32>
vit.parameter @w : tensor<128x192xf32>
vit.parameter @v : tensor<128x192xf32>
vit.parameter @u : tensor<192x128xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x128xf32> {vit.output = "y"}, tensor<1x49x192xf32> {vit.output = "z"}) {
  %e = vit.get @e : tensor<192x3x2x2xf32>
  %w = vit.get @w : tensor<128x192xf32>
  %v = vit.get @v : tensor<128x192xf32>
  %u = vit.get @u : tensor<192x128xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<192x3x2x2xf32>) -> tensor<1x49x192xf32>
  %1 = vit.linear %0, %w : (tensor<1x49x192xf32>, tensor<128x192xf32>) -> tensor<1x49x128xf32>
  %2 = vit.linear %0, %v activation gelu : (tensor<1x49x192xf32>, tensor<128x192xf32>) -> tensor<1x49x128xf32>
  %3 = vit.linear %2, %u : (tensor<1x49x128xf32>, tensor<192x128xf32>) -> tensor<1x49x192xf32>
  return %1, %3 : tensor<1x49x128xf32>, tensor<1x49x192xf32>
}

// -----

// A residual that is the left operand itself is read once more, at the end.
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.+]] = kernel.alloc : memref<49x192xf32, strided<[208, 1]>>
// CHECK: %[[OUT:.+]] = kernel.alloc : memref<49x192xf32, strided<[208, 1]>>
// CHECK: %[[SCALED:.+]] = kernel.alloc : memref<49x192xf32, strided<[208, 1]>>
// CHECK: kernel.call @gemm{{.*}} ins(%[[X]], %{{.+}}, %{{.+}}, %[[X]] : {{.*}}) outs(%[[SCALED]], %[[OUT]] :
vit.parameter @e : tensor<192x3x2x2xf32>
vit.parameter @w : tensor<192x192xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x192xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<192x3x2x2xf32>
  %w = vit.get @w : tensor<192x192xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<192x3x2x2xf32>) -> tensor<1x49x192xf32>
  %1 = vit.linear %0, %w residual %0 : (tensor<1x49x192xf32>, tensor<192x192xf32>, tensor<1x49x192xf32>) -> tensor<1x49x192xf32>
  return %1 : tensor<1x49x192xf32>
}
