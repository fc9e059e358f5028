// A long sum of Strassen products is taken in parts, slices of both halves of k. Half of the parts add to the output, the others to a buffer of their own, so that two
// threads may take a branch each. The bias belongs to the first part; the parts of a branch share their scratch.
// CHECK: kernel.constant @w.strassen #kernel.strassen<32, parts = 2> of @w : memref<12x7x384x32xf32>
// CHECK: kernel.spec @[[FIRST:gemm_49x384x768_strassen_[0-9a-f]+]] #kernel.gemm<{{.*}}half_stride = 768{{.*}}bias = true{{.*}}residual = false
// CHECK: kernel.spec @[[SECOND:gemm_49x384x768_strassen_[0-9a-f]+]] #kernel.gemm<{{.*}}half_stride = 768{{.*}}bias = false{{.*}}residual = false
// CHECK: kernel.spec @[[ADD:add_49x384_[0-9a-f]+]] #kernel.add<
// CHECK-LABEL: func.func @forward
// CHECK: %[[W:.+]] = kernel.weight @w.strassen
// CHECK: %[[A:.+]] = kernel.alloc : memref<49x1536xf32, strided<[1600, 1]>>
// CHECK: %[[OUT:.+]] = kernel.alloc : memref<49x384xf32
// CHECK: %[[SUM:.+]] = kernel.alloc : memref<49x384xf32
// CHECK: %[[LEFT0:.+]] = kernel.alloc : memref<48000xf32
// CHECK: %[[A0:.+]] = kernel.view %[[A]] : {{.*}} -> memref<49x2x384xf32, strided<[1600, 768, 1]>>
// CHECK: %[[W0:.+]] = kernel.view %[[W]] : {{.*}} -> memref<6x7x384x32xf32, strided<[86016, 12288, 32, 1]>>
// CHECK: kernel.call @[[FIRST]] ins(%[[A0]], %[[W0]], %{{[^,]+}} : {{.*}}) outs(%[[LEFT0]], %[[OUT]] : {{.*}}) branch 0
// CHECK: %[[LEFT1:.+]] = kernel.alloc : memref<48000xf32
// CHECK: %[[A1:.+]] = kernel.view %[[A]] : {{.*}} -> memref<49x2x384xf32, strided<[1600, 768, 1], offset: 384>>
// CHECK: %[[W1:.+]] = kernel.view %[[W]] : {{.*}} -> memref<6x7x384x32xf32, strided<[86016, 12288, 32, 1], offset: 516096>>
// CHECK: kernel.call @[[SECOND]] ins(%[[A1]], %[[W1]] : {{.*}}) outs(%[[LEFT1]], %[[SUM]] : {{.*}}) branch 1
// CHECK: kernel.call @[[ADD]] ins(%[[OUT]], %[[SUM]] : {{.*}}) outs(%[[OUT]] :
vit.parameter @e : tensor<1536x3x2x2xf32>
vit.parameter @w : tensor<384x1536xf32>
vit.parameter @b : tensor<384xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x384xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<1536x3x2x2xf32>
  %w = vit.get @w : tensor<384x1536xf32>
  %b = vit.get @b : tensor<384xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<1536x3x2x2xf32>) -> tensor<1x49x1536xf32>
  %1 = vit.linear %0, %w bias %b : (tensor<1x49x1536xf32>, tensor<384x1536xf32>, tensor<384xf32>) -> tensor<1x49x384xf32>
  return %1 : tensor<1x49x384xf32>
}

// -----

// An activation needs the whole sum at once.
// CHECK: kernel.constant @w.strassen #kernel.strassen<32> of @w : memref<6x7x768x32xf32>
// CHECK: kernel.spec @{{gemm_49x384x1536_relu_strassen_[0-9a-f]+}}
// CHECK-LABEL: func.func @forward
vit.parameter @e : tensor<1536x3x2x2xf32>
vit.parameter @w : tensor<384x1536xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x384xf32> {vit.output = "y"}) {
  %e = vit.get @e : tensor<1536x3x2x2xf32>
  %w = vit.get @w : tensor<384x1536xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<1536x3x2x2xf32>) -> tensor<1x49x1536xf32>
  %1 = vit.linear %0, %w activation relu : (tensor<1x49x1536xf32>, tensor<384x1536xf32>) -> tensor<1x49x384xf32>
  return %1 : tensor<1x49x384xf32>
}
