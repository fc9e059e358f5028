// Levels that want different kernels have a call each, into the same buffer. The weights have both layouts; where another layer needs but one, it has one.
// A level without Winograd's products takes part in their call.
// CHECK-DAG: kernel.constant @w.strassen #kernel.strassen<32> of @w : memref<6x7x192x32xf32>
// CHECK-DAG: kernel.constant @w.panels #kernel.panels<32> of @w : memref<12x384x32xf32>
// CHECK-DAG: kernel.constant @w.winograd_sums #kernel.winograd_sums<32> of @w : memref<400xf32>
// CHECK-DAG: kernel.constant @v.panels #kernel.panels<32> of @v : memref<3x384x32xf32>
// CHECK-NOT: @v.strassen
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.+]] = kernel.alloc : memref<49x384xf32
// CHECK: %[[OUT:.+]] = kernel.alloc : memref<49x384xf32
// CHECK: kernel.call @{{gemm_49x384x384_strassen_[0-9a-f]+}} ins(%[[X]], {{.*}}) outs(%{{.+}}, %[[OUT]] : {{.*}}) levels ["avx2", "avx512"]
// CHECK: kernel.call @{{gemm_49x384x384_[0-9a-f]+}} ins(%[[X]], {{.*}}) outs(%[[X]], %[[OUT]] : {{.*}}) levels ["zen4"]
// CHECK: kernel.call @{{gemm_49x96x384_[0-9a-f]+}} ins(%[[OUT]], {{.*}}) outs({{.*}}){{$}}
module attributes {kernel.target = #kernel.target<panel = 32, levels = [<"avx2", strassen>, <"avx512", strassen>, <"zen4", winograd>]>} {
  vit.parameter @e : tensor<384x3x2x2xf32>
  vit.parameter @w : tensor<384x384xf32>
  vit.parameter @v : tensor<96x384xf32>
  func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x49x96xf32> {vit.output = "y"}) {
    %e = vit.get @e : tensor<384x3x2x2xf32>
    %w = vit.get @w : tensor<384x384xf32>
    %v = vit.get @v : tensor<96x384xf32>
    %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<384x3x2x2xf32>) -> tensor<1x49x384xf32>
    %1 = vit.linear %0, %w {kernel.selected = [#kernel.level<"avx2", strassen>, #kernel.level<"avx512", strassen>, #kernel.level<"zen4", winograd>]}
        : (tensor<1x49x384xf32>, tensor<384x384xf32>) -> tensor<1x49x384xf32>
    %2 = vit.linear %1, %v {kernel.selected = [#kernel.level<"avx2", plain>, #kernel.level<"avx512", plain>, #kernel.level<"zen4", winograd>]}
        : (tensor<1x49x384xf32>, tensor<96x384xf32>) -> tensor<1x49x96xf32>
    return %2 : tensor<1x49x96xf32>
  }
}
