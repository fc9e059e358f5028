// The pipeline takes every option of the stages, and the target; a module may also have its own.
// RUN: %vitc-opt %s --vitc-lower | FileCheck %s --check-prefix=DEFAULT
// RUN: %vitc-opt %s --vitc-lower="panel=32 levels=avx2:strassen,zen4:winograd" | FileCheck %s --check-prefix=LEVELS
// RUN: %vitc-opt %s --vitc-lower="images=4" | FileCheck %s --check-prefix=IMAGES
// RUN: %vitc-opt %s --vitc-lower="images=4 disable-rewrites=batch-tail,fold-norm" | FileCheck %s --check-prefix=DISABLED
// RUN: %vitc-opt %s --vitc-lower="until-after=fuse" | FileCheck %s --check-prefix=FUSE
// RUN: %vitc-opt %s --vitc-lower="levels=zen4:winograd until-after=fuse" | FileCheck %s --check-prefix=WINOGRAD
// RUN: %vitc-opt %s --kernel-attach-target=panel=32 --vitc-lower | FileCheck %s --check-prefix=OWN
// RUN: %vitc-opt %s --vitc-lower="levels=avx2:strassen remarks=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: not %vitc-opt %s --vitc-lower="disable-rewrites=fold-nrom" 2>&1 | FileCheck %s --check-prefix=REWRITE
// RUN: not %vitc-opt %s --vitc-lower="until-after=import" 2>&1 | FileCheck %s --check-prefix=STAGE

// DEFAULT: kernel.constant @derived.panels #kernel.panels<16>
// DEFAULT-NOT: levels [
// DEFAULT-NOT: images
// LEVELS: module attributes {kernel.target = #kernel.target<panel = 32, levels = [<"avx2", strassen>, <"zen4", winograd>]>
// LEVELS-DAG: #kernel.strassen<32> of
// LEVELS-DAG: #kernel.winograd_sums<32> of
// LEVELS: kernel.call @{{.*}}_strassen_{{.*}} levels ["avx2"]
// LEVELS: kernel.call @{{.*}} levels ["zen4"]
// IMAGES: kernel.call @gemm_1x10x384_x4_{{.*}} images 4
// DISABLED: kernel.call @norm
// DISABLED: kernel.call @gemm_1x10x384
// DISABLED-NOT: images
// FUSE: vit.parameter {{.*}} {
// FUSE: vit.scale_columns
// FUSE: func.func @forward(%{{.*}}: tensor<
// FUSE: vit.layer_norm %{{[^ ]+}} eps
// WINOGRAD: vit.layer_norm %{{[^ ]+}} gain
// OWN: #kernel.panels<32> of
// REMARKS: remark: strassen at avx2
// REMARKS: remark: plain at avx2: strassen gains from 48 rows on, not with 1
// RUN: not %vitc-opt %s --vitc-lower="disable-rewrites=winograd" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: disable-rewrites=winograd: known are
// REWRITE: vitc-lower: disable-rewrites=fold-nrom: known are fold-affine, fold-norm
// STAGE: vitc-lower: until-after=import: known are simplify, fuse, precision, kernels, plan
vit.parameter @e : tensor<384x3x2x2xf32>
vit.parameter @g : tensor<384xf32>
vit.parameter @h : tensor<384xf32>
vit.parameter @w : tensor<384x384xf32>
vit.parameter @c : tensor<10x384xf32>
func.func @forward(%image: tensor<1x3x14x14xf32>) -> (tensor<1x10xf32> {vit.output = "logits"}) {
  %e = vit.get @e : tensor<384x3x2x2xf32>
  %g = vit.get @g : tensor<384xf32>
  %h = vit.get @h : tensor<384xf32>
  %w = vit.get @w : tensor<384x384xf32>
  %c = vit.get @c : tensor<10x384xf32>
  %0 = vit.patch_embed %image, %e : (tensor<1x3x14x14xf32>, tensor<384x3x2x2xf32>) -> tensor<1x49x384xf32>
  %1 = vit.layer_norm %0 gain %g bias %h eps 1.0e-6 : tensor<1x49x384xf32>, tensor<384xf32>, tensor<384xf32>
  %2 = vit.linear %1, %w : (tensor<1x49x384xf32>, tensor<384x384xf32>) -> tensor<1x49x384xf32>
  %3 = vit.pool %2 mean 0 : tensor<1x49x384xf32> -> tensor<1x384xf32>
  %4 = vit.linear %3, %c : (tensor<1x384xf32>, tensor<10x384xf32>) -> tensor<1x10xf32>
  return %4 : tensor<1x10xf32>
}
