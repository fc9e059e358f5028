// A layer of 16 rows is for tensor cores; one of fewer rows is not, and neither is anything else.
// CHECK: kernel.spec @patch_embed{{.*}} #kernel.patch_embed<
// CHECK-NOT: multiply
// CHECK: kernel.spec @[[MANY:gemm_16x128x64_gelu_tensor_cores_[0-9a-f]+]] #kernel.gemm<{{.*}}panel = 64{{.*}}residual = false{{.*}}multiply = f16
// CHECK: kernel.spec @[[FEW:gemm_1x10x128_[0-9a-f]+]] #kernel.gemm<
// CHECK-NOT: multiply
// CHECK-LABEL: func.func @forward
// CHECK: kernel.call @[[MANY]]
// CHECK: kernel.call @[[FEW]]
vit.parameter @e : tensor<64x3x2x2xf32>
vit.parameter @w : tensor<128x64xf32>
vit.parameter @v : tensor<10x128xf32>
func.func @forward(%image: tensor<1x3x8x8xf32>) -> (tensor<1x10xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<64x3x2x2xf32>
  %w = vit.get @w : tensor<128x64xf32>
  %v = vit.get @v : tensor<10x128xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x8x8xf32>, tensor<64x3x2x2xf32>) -> tensor<1x16x64xf32>
  %1 = vit.linear %0, %w activation gelu : (tensor<1x16x64xf32>, tensor<128x64xf32>) -> tensor<1x16x128xf32>
  %2 = vit.pool %1 token 0 : tensor<1x16x128xf32> -> tensor<1x128xf32>
  %3 = vit.linear %2, %v : (tensor<1x128xf32>, tensor<10x128xf32>) -> tensor<1x10xf32>
  return %3 : tensor<1x10xf32>
}
