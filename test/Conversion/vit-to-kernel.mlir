// RUN: %vitc-opt %s --convert-vit-to-kernel --split-input-file | FileCheck %s
// RUN: %vitc-opt %s --kernel-attach-target=panel=32 --convert-vit-to-kernel --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-strassen.mlir --kernel-attach-target=levels=avx2:strassen --vit-select-kernels --convert-vit-to-kernel --split-input-file | FileCheck %S/Inputs/vit-to-kernel-strassen.mlir
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-strassen-parts.mlir --kernel-attach-target="panel=32 levels=avx2:strassen" --vit-select-kernels --convert-vit-to-kernel --split-input-file | FileCheck %S/Inputs/vit-to-kernel-strassen-parts.mlir
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-winograd.mlir --kernel-attach-target="panel=32 levels=zen4:winograd" --vit-select-kernels --convert-vit-to-kernel --split-input-file | FileCheck %S/Inputs/vit-to-kernel-winograd.mlir
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-tensor-cores.mlir --kernel-attach-target="panel=64 levels=sm80:tensor_core" --vit-select-kernels --convert-vit-to-kernel | FileCheck %S/Inputs/vit-to-kernel-tensor-cores.mlir
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-levels.mlir --convert-vit-to-kernel --split-input-file | FileCheck %S/Inputs/vit-to-kernel-levels.mlir
// RUN: %vitc-opt %S/Inputs/vit-to-kernel-errors.mlir --convert-vit-to-kernel --split-input-file --verify-diagnostics

// The embedding writes behind the place of the class token; the token is copied in front, once for every image.
// CHECK: kernel.constant @w.panels #kernel.panels<16> of @w : memref<1x12x16xf32>
// CHECK: kernel.constant @b.rows #kernel.rows<16> of @b : memref<1x16xf32>
// CHECK: kernel.constant @p.rows #kernel.rows<16> of @p : memref<4x16xf32>
// CHECK: kernel.spec @[[EMBED:patch_embed_4x8x12_[0-9a-f]+]] #kernel.patch_embed<batch = 2, channels = 3, height = 4, width = 4, patch_h = 2, patch_w = 2, n = 8, panel = 16, bias = true, position = true, ldc = 16, ldp = 16, batch_stride = 80>{{.*}} flops 1.536000e+03 bytes 1.728000e+03
// CHECK: kernel.spec @[[TOKENS:copy_[^ ]+]] #kernel.copy<shape = [1, 2, 1, 8], src_strides = [0, 0, 16, 1], dst_strides = [0, 80, 16, 1]>
// CHECK: kernel.spec @[[OUT:copy_[^ ]+]] #kernel.copy<shape = [1, 2, 5, 8], src_strides = [0, 80, 16, 1], dst_strides = [0, 40, 8, 1]>
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[IMAGE:[^:]+]]: memref<2x3x4x4xf32>, %[[Y:[^:]+]]: memref<2x5x8xf32> {vit.output = "y"}) attributes {kernel.scratch_bytes = 100 : i64}
// CHECK-DAG: %[[C:.+]] = kernel.weight @c.rows : memref<1x16xf32>
// CHECK-DAG: %[[P:.+]] = kernel.weight @p.rows
// CHECK-DAG: %[[B:.+]] = kernel.weight @b.rows
// CHECK-DAG: %[[W:.+]] = kernel.weight @w.panels
// CHECK: %[[ALL:.+]] = kernel.alloc : memref<10x8xf32, strided<[16, 1]>>
// CHECK: %[[PATCHES:.+]] = kernel.view %[[ALL]] : {{.*}} -> memref<2x4x8xf32, strided<[80, 16, 1], offset: 16>>
// CHECK: kernel.call @[[EMBED]] ins(%[[IMAGE]], %[[W]], %[[B]], %[[P]] : {{.*}}) outs(%[[PATCHES]] :
// CHECK: %[[FRONT:.+]] = kernel.view %[[ALL]] : {{.*}} -> memref<2x1x8xf32, strided<[80, 16, 1]>>
// CHECK: kernel.call @[[TOKENS]] ins(%[[C]] : {{.*}}) outs(%[[FRONT]] :
// CHECK: %[[OUTPUT:.+]] = kernel.view %[[Y]] : memref<2x5x8xf32> ->
// CHECK: kernel.call @[[OUT]] ins(%[[ALL]] : {{.*}}) outs(%[[OUTPUT]] :
// CHECK: return{{$}}
// WIDE: #kernel.panels<32> of @w : memref<1x12x32xf32>
// WIDE: n = 8, panel = 32, {{.*}}ldc = 32, ldp = 32,
vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @b : tensor<8xf32>
vit.parameter @p : tensor<1x4x8xf32>
vit.parameter @c : tensor<1x1x8xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>) -> (tensor<2x5x8xf32> {vit.output = "y"}) attributes {kernel.scratch_bytes = 100} {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %b = vit.get @b : tensor<8xf32>
  %p = vit.get @p : tensor<1x4x8xf32>
  %c = vit.get @c : tensor<1x1x8xf32>
  %0 = vit.patch_embed %image, %w bias %b position %p
      : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>, tensor<8xf32>, tensor<1x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = vit.concat_tokens %c, %0 : (tensor<1x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x5x8xf32>
  return %1 : tensor<2x5x8xf32>
}

// -----

// Patches that something else reads too stand in a buffer of their own and are copied; a sum of positions repeats with the image.
// CHECK: kernel.spec @[[EMBED:patch_embed_[^ ]+]] #kernel.patch_embed<{{.*}}n = 8{{.*}}bias = false{{.*}}position = false{{.*}}ldc = 16{{.*}}batch_stride = 64
// CHECK: kernel.spec @[[PATCHES:copy_[^ ]+]] #kernel.copy<shape = [1, 2, 4, 8], src_strides = [0, 64, 16, 1], dst_strides = [0, 80, 16, 1]>
// CHECK: kernel.constant @p.rows #kernel.rows<16> of @p : memref<5x16xf32>
// CHECK: kernel.spec @[[ADD:add_10x8_[^ ]+]] #kernel.add<rows = 10, cols = 8, lda = 16, ldb = 16, ldc = 16, period = 5>
// CHECK-LABEL: func.func @forward
// CHECK: %[[OWN:.+]] = kernel.alloc : memref<8x8xf32, strided<[16, 1]>>
// CHECK: kernel.call @[[EMBED]]
// CHECK: %[[ALL:.+]] = kernel.alloc : memref<10x8xf32, strided<[16, 1]>>
// CHECK: kernel.call @[[PATCHES]] ins(%[[OWN]] :
// CHECK: %[[SUM:.+]] = kernel.alloc
// CHECK: kernel.call @[[ADD]] ins(%[[ALL]], %{{.+}} : {{.*}}) outs(%[[SUM]] :
vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @p : tensor<1x5x8xf32>
vit.parameter @c : tensor<1x1x8xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>) -> (tensor<2x5x8xf32>, tensor<2x4x8xf32>) {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %p = vit.get @p : tensor<1x5x8xf32>
  %c = vit.get @c : tensor<1x1x8xf32>
  %0 = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %1 = vit.concat_tokens %c, %0 : (tensor<1x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x5x8xf32>
  %2 = vit.add_position %1, %p : tensor<2x5x8xf32>, tensor<1x5x8xf32>
  return %2, %0 : tensor<2x5x8xf32>, tensor<2x4x8xf32>
}

// -----

// Norms with and without gain and bias; equal layers share a kernel and a constant; rows avoid multiples of 4096 bytes.
// CHECK: kernel.spec @[[AFFINE:norm_4x1024_[^ ]+]] #kernel.norm<rows = 4, cols = 1024, ldx = 1088, ldy = 1088, eps = 5.000000e-01, affine = true>{{.*}} flops 3.276800e+04
// CHECK: kernel.spec @[[PLAIN:norm_4x1024_[^ ]+]] #kernel.norm<{{.*}}affine = false
// CHECK-NOT: #kernel.norm
// CHECK-LABEL: func.func @forward
// CHECK: %[[G:.+]] = kernel.weight @g.rows : memref<1x1024xf32>
// CHECK-NOT: kernel.weight @g.rows
// CHECK: kernel.alloc : memref<4x1024xf32, strided<[1088, 1]>>
// CHECK: kernel.call @[[AFFINE]] ins(%{{.+}}, %[[G]], %[[G]] :
// CHECK: kernel.call @[[AFFINE]] ins(%{{.+}}, %[[G]], %[[G]] :
// CHECK: kernel.call @[[PLAIN]] ins(%{{[^,]+}} : memref
vit.parameter @w : tensor<1024x3x2x2xf32>
vit.parameter @g : tensor<1024xf32>
func.func @forward(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x1024xf32> {
  %w = vit.get @w : tensor<1024x3x2x2xf32>
  %g = vit.get @g : tensor<1024xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<1024x3x2x2xf32>) -> tensor<1x4x1024xf32>
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x4x1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  %1 = vit.layer_norm %0 gain %g bias %g eps 0.5 : tensor<1x4x1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  %2 = vit.layer_norm %1 eps 0.5 : tensor<1x4x1024xf32>
  return %2 : tensor<1x4x1024xf32>
}

// -----

// A layer with everything, and one with nothing.
// CHECK: kernel.constant @u.panels #kernel.panels<16> of @u : memref<2x8x16xf32>
// CHECK: kernel.constant @ub.rows #kernel.rows<32> of @ub : memref<1x32xf32>
// CHECK: kernel.spec @[[UP:gemm_4x20x8_gelu_[^ ]+]] #kernel.gemm<m = 4, n = 20, k = 8, panel = 16, lda = 16, ldc = 32, bias = true, residual = false, activation = gelu>{{.*}} flops 1.280000e+03
// CHECK: kernel.spec @[[DOWN:gemm_4x8x20_add_[^ ]+]] #kernel.gemm<m = 4, n = 8, k = 20, panel = 16, lda = 32, ldc = 16, bias = false, residual = true, ldr = 16, activation = none>
// CHECK-LABEL: func.func @forward
// CHECK-DAG: %[[D:.+]] = kernel.weight @d.panels
// CHECK-DAG: %[[UB:.+]] = kernel.weight @ub.rows
// CHECK-DAG: %[[U:.+]] = kernel.weight @u.panels
// CHECK: %[[X:.+]] = kernel.alloc : memref<4x8xf32, strided<[16, 1]>>
// CHECK: %[[HIDDEN:.+]] = kernel.alloc : memref<4x20xf32, strided<[32, 1]>>
// CHECK: kernel.call @[[UP]] ins(%[[X]], %[[U]], %[[UB]] : {{.*}}) outs(%[[HIDDEN]] :
// The residual is not needed any more: the sum takes its place.
// CHECK-NOT: kernel.alloc
// CHECK: kernel.call @[[DOWN]] ins(%[[HIDDEN]], %[[D]], %[[X]] : {{.*}}) outs(%[[X]] :
vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @u : tensor<20x8xf32>
vit.parameter @ub : tensor<20xf32>
vit.parameter @d : tensor<8x20xf32>
func.func @forward(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %u = vit.get @u : tensor<20x8xf32>
  %ub = vit.get @ub : tensor<20xf32>
  %d = vit.get @d : tensor<8x20xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %0 = vit.linear %x, %u bias %ub activation gelu : (tensor<1x4x8xf32>, tensor<20x8xf32>, tensor<20xf32>) -> tensor<1x4x20xf32>
  %1 = vit.linear %0, %d residual %x : (tensor<1x4x20xf32>, tensor<8x20xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %1 : tensor<1x4x8xf32>
}

// -----

// No sum in place where the residual is also the input, is read later, is read later through a view, or is an output.
// CHECK-LABEL: func.func @input
// CHECK: %[[X:.+]] = kernel.alloc
// CHECK: %[[SUM:.+]] = kernel.alloc
// CHECK: kernel.call @{{gemm[^ ]+}} ins(%[[X]], %{{.+}}, %[[X]] : {{.*}}) outs(%[[SUM]] :
// CHECK-LABEL: func.func @later
// CHECK: %[[X:.+]] = kernel.alloc
// CHECK: %[[A:.+]] = kernel.alloc
// CHECK: %[[SUM:.+]] = kernel.alloc
// CHECK: kernel.call @{{gemm[^ ]+}} ins(%[[A]], %{{.+}}, %[[X]] : {{.*}}) outs(%[[SUM]] :
// CHECK-LABEL: func.func @view
// CHECK: %[[X:.+]] = kernel.alloc
// CHECK: kernel.view %[[X]]
// CHECK: %[[A:.+]] = kernel.alloc
// CHECK: %[[SUM:.+]] = kernel.alloc
// CHECK: kernel.call @{{gemm[^ ]+}} ins(%[[A]], %{{.+}}, %[[X]] : {{.*}}) outs(%[[SUM]] :
// CHECK-LABEL: func.func @stacked
// CHECK: %[[X:.+]] = kernel.alloc
// CHECK: %[[A:.+]] = kernel.alloc
// CHECK: %[[SUM:.+]] = kernel.alloc
// CHECK: kernel.call @{{gemm[^ ]+}} ins(%[[A]], %{{.+}}, %[[X]] : {{.*}}) outs(%[[SUM]] :
vit.parameter @w : tensor<16x3x2x2xf32>
vit.parameter @d : tensor<16x16xf32>
func.func @input(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x16xf32> {
  %w = vit.get @w : tensor<16x3x2x2xf32>
  %d = vit.get @d : tensor<16x16xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<16x3x2x2xf32>) -> tensor<1x4x16xf32>
  %0 = vit.linear %x, %d residual %x : (tensor<1x4x16xf32>, tensor<16x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %0 : tensor<1x4x16xf32>
}
func.func @later(%image: tensor<1x3x4x4xf32>) -> (tensor<1x4x16xf32>, tensor<1x4x16xf32>) {
  %w = vit.get @w : tensor<16x3x2x2xf32>
  %d = vit.get @d : tensor<16x16xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<16x3x2x2xf32>) -> tensor<1x4x16xf32>
  %0 = vit.layer_norm %x eps 0.0 : tensor<1x4x16xf32>
  %1 = vit.linear %0, %d residual %x : (tensor<1x4x16xf32>, tensor<16x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %1, %x : tensor<1x4x16xf32>, tensor<1x4x16xf32>
}
func.func @view(%image: tensor<1x3x4x4xf32>) -> (tensor<1x4x16xf32>, tensor<1x16xf32>) {
  %w = vit.get @w : tensor<16x3x2x2xf32>
  %d = vit.get @d : tensor<16x16xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<16x3x2x2xf32>) -> tensor<1x4x16xf32>
  %token = vit.pool %x token 1 : tensor<1x4x16xf32> -> tensor<1x16xf32>
  %0 = vit.layer_norm %x eps 0.0 : tensor<1x4x16xf32>
  %1 = vit.linear %0, %d residual %x : (tensor<1x4x16xf32>, tensor<16x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %1, %token : tensor<1x4x16xf32>, tensor<1x16xf32>
}
func.func @stacked(%image: tensor<1x3x4x4xf32>) -> (tensor<1x4x16xf32>, tensor<1x1x4x16xf32>) {
  %w = vit.get @w : tensor<16x3x2x2xf32>
  %d = vit.get @d : tensor<16x16xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<16x3x2x2xf32>) -> tensor<1x4x16xf32>
  %states = vit.stack %x : (tensor<1x4x16xf32>) -> tensor<1x1x4x16xf32>
  %0 = vit.layer_norm %x eps 0.0 : tensor<1x4x16xf32>
  %1 = vit.linear %0, %d residual %x : (tensor<1x4x16xf32>, tensor<16x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  return %1, %states : tensor<1x4x16xf32>, tensor<1x1x4x16xf32>
}

// -----

// Queries, keys and values are columns of one buffer; attention reads them where they stand. Maps go straight to the output, one layer
// after the other.
// CHECK: kernel.spec @[[FIRST:attention_2x4x4_[^ ]+]] #kernel.attention<batch = 2, heads = 2, tokens = 4, head_dim = 4, scale = 5.000000e-01, ldq = 32, ldk = 32, ldv = 32, ldo = 16, probabilities = true, prob_batch_stride = 64>{{.*}} flops 1.024000e+03
// CHECK: kernel.spec @[[LAST:attention_2x4x4_[^ ]+]] #kernel.attention<{{.*}}probabilities = false
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[Y:[^:]+]]: memref<2x4x8xf32>, %[[MAPS:[^: ]+]]: memref<2x2x2x4x4xf32>)
// CHECK: %[[QKV:.+]] = kernel.alloc : memref<8x24xf32, strided<[32, 1]>>
// CHECK: %[[Q:.+]] = kernel.view %[[QKV]] : {{.*}} -> memref<8x8xf32, strided<[32, 1]>>
// CHECK: %[[K:.+]] = kernel.view %[[QKV]] : {{.*}} -> memref<8x8xf32, strided<[32, 1], offset: 8>>
// CHECK: %[[V:.+]] = kernel.view %[[QKV]] : {{.*}} -> memref<8x8xf32, strided<[32, 1], offset: 16>>
// CHECK: %[[A:.+]] = kernel.alloc : memref<8x8xf32, strided<[16, 1]>>
// CHECK: %[[SCRATCH:.+]] = kernel.alloc : memref<512xf32, strided<[1]>>
// CHECK: %[[MAP0:.+]] = kernel.view %[[MAPS]] : {{.*}} -> memref<2x2x4x4xf32, strided<[64, 16, 4, 1]>>
// CHECK: kernel.call @[[FIRST]] ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) outs(%[[SCRATCH]], %[[MAP0]], %[[A]] :
// CHECK: %[[MAP1:.+]] = kernel.view %[[MAPS]] : {{.*}} -> memref<2x2x4x4xf32, strided<[64, 16, 4, 1], offset: 32>>
// CHECK: kernel.call @[[FIRST]] {{.*}} outs(%{{.+}}, %[[MAP1]], %{{.+}} :
// CHECK: kernel.call @[[LAST]] {{.*}} outs(%{{[^,]+}}, %{{[^,]+}} :
// Only the sequence is copied out.
// CHECK-COUNT-1: kernel.call @copy
// CHECK-NOT: kernel.call
// CHECK: return
vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @qkv : tensor<24x8xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>) -> (tensor<2x4x8xf32>, tensor<2x2x2x4x4xf32>) {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %qkv = vit.get @qkv : tensor<24x8xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %0 = vit.linear %x, %qkv : (tensor<2x4x8xf32>, tensor<24x8xf32>) -> tensor<2x4x24xf32>
  %q = vit.slice %0 along 2 from 0 : tensor<2x4x24xf32> -> tensor<2x4x8xf32>
  %k = vit.slice %0 along 2 from 8 : tensor<2x4x24xf32> -> tensor<2x4x8xf32>
  %v = vit.slice %0 along 2 from 16 : tensor<2x4x24xf32> -> tensor<2x4x8xf32>
  %1, %m1 = vit.attention %q, %k, %v heads 2 scale 0.5
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x2x4x4xf32>)
  %2, %m2 = vit.attention %q, %k, %v heads 2 scale 0.5
      : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x2x4x4xf32>)
  %3 = vit.attention %1, %2, %2 heads 2 scale 0.5 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %maps = vit.stack %m1, %m2 : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x2x4x4xf32>
  return %3, %maps : tensor<2x4x8xf32>, tensor<2x2x2x4x4xf32>
}

// -----

// Maps that have other uses stand in the workspace.
// CHECK-LABEL: func.func @forward
// CHECK: %[[MAPS:.+]] = kernel.alloc : memref<8x4xf32, strided<[4, 1]>>
// CHECK: kernel.call @{{attention[^ ]+}} {{.*}} outs(%{{.+}}, %[[MAPS]], %{{.+}} :
// CHECK: kernel.call @{{softmax[^ ]+}} ins(%[[MAPS]] :
// CHECK: kernel.call @{{copy[^ ]+}} ins(%[[MAPS]] :
vit.parameter @w : tensor<8x3x2x2xf32>
func.func @forward(%image: tensor<1x3x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %0, %maps = vit.attention %x, %x, %x heads 2 scale 0.5
      : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x2x4x4xf32>)
  %1 = vit.softmax %maps : tensor<1x2x4x4xf32>
  return %maps, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// A single query reads the pooled token where it stands, and key rows and value panels.
// CHECK: kernel.constant @k.rows #kernel.rows<16> of @k : memref<6x16xf32>
// CHECK: kernel.constant @v.panels #kernel.panels<16> of @v : memref<1x8x16xf32>
// CHECK: kernel.spec @{{single_query_attention_3x4x8_[^ ]+}} #kernel.single_query_attention<batch = 2, heads = 3, tokens = 4, head_dim = 2, channels = 8, scale = 1.000000e+00, panel = 16, ldx = 16, batch_stride = 64, ldq = 16, ldk = 16, ldo = 16>
// CHECK-LABEL: func.func @forward
// CHECK: %[[X:.+]] = kernel.alloc : memref<8x8xf32
// CHECK: %[[TOKEN:.+]] = kernel.view %[[X]] : {{.*}} -> memref<2x8xf32, strided<[64, 1]>>
// CHECK: %[[Q:.+]] = kernel.alloc : memref<2x6xf32
// CHECK: kernel.call @{{gemm[^ ]+}} ins(%[[TOKEN]],
// CHECK: kernel.call @{{single_query_attention[^ ]+}} ins(%[[X]], %[[Q]],
vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @q : tensor<6x8xf32>
vit.parameter @k : tensor<6x8xf32>
vit.parameter @v : tensor<6x8xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>) -> tensor<2x6xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %wq = vit.get @q : tensor<6x8xf32>
  %wk = vit.get @k : tensor<6x8xf32>
  %wv = vit.get @v : tensor<6x8xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %0 = vit.pool %x token 0 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %q = vit.linear %0, %wq : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  %1 = vit.single_query_attention %x query %q key %wk value %wv heads 3 scale 1.0
      : (tensor<2x4x8xf32>, tensor<2x6xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// -----

// Element by element; pools; a slice that does not start at 64 bytes is copied for kernels that want it so.
// CHECK: kernel.spec @{{activation_8x8_[^ ]+}} #kernel.activation<rows = 8, cols = 8, ldx = 16, ldy = 16, function = silu>
// CHECK: kernel.spec @{{add_8x8_[^ ]+}} #kernel.add<rows = 8, cols = 8, lda = 16, ldb = 16, ldc = 16, period = 8>
// CHECK: kernel.spec @{{pool_3x8_[^ ]+}} #kernel.pool<kind = mean, batch = 2, rows = 3, cols = 8, ldx = 16, batch_stride = 64, ldy = 16>
// CHECK: kernel.spec @[[SLICE:copy_[^ ]+]] #kernel.copy<shape = [1, 1, 2, 4], src_strides = [0, 0, 16, 1], dst_strides = [0, 0, 16, 1]>
// CHECK: kernel.spec @{{softmax_2x4_[^ ]+}} #kernel.softmax<rows = 2, cols = 4, ldx = 16, ldy = 16>
// CHECK-LABEL: func.func @forward
// CHECK: kernel.call @activation
// CHECK: %[[SUM:.+]] = kernel.alloc : memref<8x8xf32
// CHECK: kernel.call @add
// CHECK: %[[REST:.+]] = kernel.view %[[SUM]] : {{.*}} -> memref<2x3x8xf32, strided<[64, 16, 1], offset: 16>>
// CHECK: %[[MEAN:.+]] = kernel.alloc : memref<2x8xf32
// CHECK: kernel.call @{{pool[^ ]+}} ins(%[[REST]] : {{.*}}) outs(%[[MEAN]] :
// CHECK: %[[HALF:.+]] = kernel.view %[[MEAN]] : {{.*}} -> memref<2x4xf32, strided<[16, 1], offset: 4>>
// CHECK: %[[ALIGNED:.+]] = kernel.alloc : memref<2x4xf32, strided<[16, 1]>>
// CHECK: kernel.call @[[SLICE]] ins(%[[HALF]] : {{.*}}) outs(%[[ALIGNED]] :
// CHECK: kernel.call @{{softmax[^ ]+}} ins(%[[ALIGNED]] :
vit.parameter @w : tensor<8x3x2x2xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>) -> tensor<2x4xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %0 = vit.activate %x silu : tensor<2x4x8xf32>
  %1 = vit.add %0, %x : tensor<2x4x8xf32>
  %2 = vit.pool %1 mean 1 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %3 = vit.slice %2 along 1 from 4 : tensor<2x8xf32> -> tensor<2x4xf32>
  %4 = vit.softmax %3 : tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// -----

// Outputs are arguments behind the image: one value twice, a token as a view, and a stack of states, layer by layer.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[A:[^:]+]]: memref<2x8xf32> {vit.output = "a"}, %[[B:[^:]+]]: memref<2x8xf32> {vit.output = "b"}, %[[S:[^:]+]]: memref<2x2x4x8xf32> {vit.output = "s"})
// CHECK: %[[X:.+]] = kernel.alloc : memref<8x8xf32
// CHECK: %[[N:.+]] = kernel.alloc : memref<8x8xf32
// CHECK: %[[TOKEN:.+]] = kernel.view %[[N]] : {{.*}} -> memref<2x8xf32, strided<[64, 1], offset: 16>>
// CHECK: %[[TO:.+]] = kernel.view %[[A]] : {{.*}} -> memref<2x1x8xf32, strided<[8, 8, 1]>>
// CHECK: kernel.call @[[COPY:.+]] ins(%[[TOKEN]] : {{.*}}) outs(%[[TO]] :
// CHECK: %[[TO:.+]] = kernel.view %[[B]]
// CHECK: kernel.call @[[COPY]] ins(%[[TOKEN]] : {{.*}}) outs(%[[TO]] :
// CHECK: %[[TO:.+]] = kernel.view %[[S]] : {{.*}} -> memref<2x4x8xf32, strided<[64, 8, 1]>>
// CHECK: kernel.call @[[STATE:.+]] ins(%[[X]] : {{.*}}) outs(%[[TO]] :
// CHECK: %[[TO:.+]] = kernel.view %[[S]] : {{.*}} -> memref<2x4x8xf32, strided<[64, 8, 1], offset: 32>>
// CHECK: kernel.call @[[STATE]] ins(%[[N]] : {{.*}}) outs(%[[TO]] :
vit.parameter @w : tensor<8x3x2x2xf32>
func.func @forward(%image: tensor<2x3x4x4xf32>)
    -> (tensor<2x8xf32> {vit.output = "a"}, tensor<2x8xf32> {vit.output = "b"}, tensor<2x2x4x8xf32> {vit.output = "s"}) {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %0 = vit.layer_norm %x eps 0.0 : tensor<2x4x8xf32>
  %1 = vit.pool %0 token 1 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %states = vit.stack %x, %0 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x2x4x8xf32>
  return %1, %1, %states : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x2x4x8xf32>
}
