// A large layer gets Strassen's products: seven right operands in the weights file, room in the workspace for the five left ones that are not quarters as they stand.
// CHECK: kernel.constant @w.strassen #kernel.strassen<16> of @w : memref<16x7x192x16xf32>
// CHECK: kernel.constant @b.rows #kernel.rows<512> of @b : memref<1x512xf32>
// CHECK: kernel.spec @[[STRASSEN:gemm_49x512x384_gelu_strassen_[0-9a-f]+]] #kernel.gemm<m = 49, n = 512, k = 384, panel = 16, strassen = true, {{.*}}bias = true, residual = false, activation = gelu>
// A layer whose halves are not whole panels stays as it is.
// CHECK: kernel.constant @v.panels #kernel.panels<16> of @v : memref<25x512x16xf32>
// CHECK: kernel.spec @[[PLAIN:gemm_49x400x512_[0-9a-f]+]] #kernel.gemm<
// CHECK-NOT: strassen
// CHECK-LABEL: func.func @forward
// CHECK-DAG: %[[W:.+]] = kernel.weight @w.strassen : memref<16x7x192x16xf32>
// CHECK: kernel.call @patch_embed
// CHECK: %[[OUT:.+]] = kernel.alloc : memref<49x512xf32
// CHECK: %[[SCRATCH:.+]] = kernel.alloc : memref<24000xf32
// CHECK: kernel.call @[[STRASSEN]] ins(%{{.+}}, %[[W]], %{{.+}} : {{.*}}) outs(%[[SCRATCH]], %[[OUT]] :
// CHECK: kernel.call @[[PLAIN]]
vit.parameter @e : tensor<384x3x2x2xf32>
vit.parameter @w : tensor<512x384xf32>
vit.parameter @b : tensor<512xf32>
vit.parameter @v : tensor<400x512xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x400xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<384x3x2x2xf32>
  %w = vit.get @w : tensor<512x384xf32>
  %b = vit.get @b : tensor<512xf32>
  %v = vit.get @v : tensor<400x512xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<384x3x2x2xf32>) -> tensor<1x49x384xf32>
  %1 = vit.linear %0, %w bias %b activation gelu : (tensor<1x49x384xf32>, tensor<512x384xf32>, tensor<512xf32>) -> tensor<1x49x512xf32>
  %2 = vit.linear %1, %v : (tensor<1x49x512xf32>, tensor<400x512xf32>) -> tensor<1x49x400xf32>
  return %2 : tensor<1x49x400xf32>
}

// -----

// Few rows gain nothing.
// CHECK: kernel.constant @w.panels #kernel.panels<16> of @w : memref<32x384x16xf32>
// CHECK-NOT: strassen
// CHECK-LABEL: func.func @forward
vit.parameter @e : tensor<384x3x2x2xf32>
vit.parameter @w : tensor<512x384xf32>
func.func @forward(%image: tensor<1x3x4x4xf32>) -> (tensor<1x4x512xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<384x3x2x2xf32>
  %w = vit.get @w : tensor<512x384xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x4x4xf32>, tensor<384x3x2x2xf32>) -> tensor<1x4x384xf32>
  %1 = vit.linear %0, %w : (tensor<1x4x384xf32>, tensor<512x384xf32>) -> tensor<1x4x512xf32>
  return %1 : tensor<1x4x512xf32>
}
