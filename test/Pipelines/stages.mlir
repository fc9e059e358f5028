// A whole small model, from what the importer writes to placed kernel calls.
// RUN: %vitc-opt %s --vitc-lower | FileCheck %s
// RUN: %vitc-opt %s --vitc-lower | %vitc-opt --convert-kernel-to-emitc | mlir-translate --mlir-to-cpp | FileCheck %s --check-prefix=CPP

// Nothing of the model's own words is left but the weights; what could be computed from them alone is.
// CHECK: module attributes {kernel.weights_bytes = [[# WEIGHTS:]] : i64}
// CHECK-DAG: vit.parameter @position : tensor<1x10x16xf32>{{$}}
// CHECK-DAG: vit.parameter @{{.*}} : tensor<1x4x16xf32> {
// CHECK-DAG: vit.resize_position
// CHECK-DAG: kernel.constant @{{.*}} at 0
// CHECK-NOT: kernel.constant @{{.*}} : memref<{{.*}}>{{$}}
// CHECK-LABEL: func.func @forward
// CHECK-SAME: memref<1x3x4x4xf32>, %{{.+}}: memref<1x5xf32> {vit.output = "logits"})
// CHECK-SAME: kernel.pixels_offset = {{[0-9]+}} : i64, kernel.scratch_offset = {{[0-9]+}} : i64, kernel.workspace_bytes = {{[1-9][0-9]*}} : i64
// CHECK-NOT: vit.
// CHECK-NOT: kernel.alloc :
// CHECK: kernel.call @patch_embed_4x16x12
// CHECK: kernel.call @copy_1x1x1x16
// First block: norm, projections in one, attention, output with the residual, MLP.
// CHECK: kernel.call @norm_5x16
// CHECK: kernel.call @gemm_5x48x16_
// CHECK: kernel.call @attention_2x5x8
// CHECK: kernel.call @gemm_5x16x16_add
// CHECK: kernel.call @norm_5x16
// CHECK: kernel.call @gemm_5x32x16_gelu
// CHECK: kernel.call @gemm_5x16x32_add
// Second block: only the class token is asked for.
// CHECK: kernel.call @norm_5x16
// CHECK: kernel.call @gemm_1x16x16
// CHECK: kernel.call @single_query_attention_2x5x16
// CHECK: kernel.call @gemm_1x16x16_add
// CHECK: kernel.call @norm_1x16
// CHECK: kernel.call @gemm_1x32x16_gelu
// CHECK: kernel.call @gemm_1x16x32_add
// CHECK: kernel.call @norm_1x16
// CHECK: kernel.call @gemm_1x5x16
// CHECK: kernel.call @copy_
// CHECK-NEXT: return

// CPP: void forward(
// CPP: patch_embed_4x16x12_{{[0-9a-f]+}}(run.threads, run.pixels,
// CPP-NEXT: done(run, 0);
// CPP: copy_1x1x1x5_{{[0-9a-f]+}}(run.threads, buffer<float>(run, {{[0-9]+}}), output<float>(run, 0, 0));
// CPP-NEXT: done(run, [[# STEPS:]]);
// CPP-NEXT: return;

vit.parameter @patch.weight : tensor<16x3x2x2xf32>
vit.parameter @patch.bias : tensor<16xf32>
vit.parameter @class : tensor<1x1x16xf32>
vit.parameter @position : tensor<1x10x16xf32>
vit.parameter @layer0.before.weight : tensor<16xf32>
vit.parameter @layer0.before.bias : tensor<16xf32>
vit.parameter @layer0.query.weight : tensor<16x16xf32>
vit.parameter @layer0.query.bias : tensor<16xf32>
vit.parameter @layer0.key.weight : tensor<16x16xf32>
vit.parameter @layer0.key.bias : tensor<16xf32>
vit.parameter @layer0.value.weight : tensor<16x16xf32>
vit.parameter @layer0.value.bias : tensor<16xf32>
vit.parameter @layer0.output.weight : tensor<16x16xf32>
vit.parameter @layer0.output.bias : tensor<16xf32>
vit.parameter @layer0.after.weight : tensor<16xf32>
vit.parameter @layer0.after.bias : tensor<16xf32>
vit.parameter @layer0.up.weight : tensor<32x16xf32>
vit.parameter @layer0.up.bias : tensor<32xf32>
vit.parameter @layer0.down.weight : tensor<16x32xf32>
vit.parameter @layer0.down.bias : tensor<16xf32>
vit.parameter @layer1.before.weight : tensor<16xf32>
vit.parameter @layer1.before.bias : tensor<16xf32>
vit.parameter @layer1.query.weight : tensor<16x16xf32>
vit.parameter @layer1.query.bias : tensor<16xf32>
vit.parameter @layer1.key.weight : tensor<16x16xf32>
vit.parameter @layer1.key.bias : tensor<16xf32>
vit.parameter @layer1.value.weight : tensor<16x16xf32>
vit.parameter @layer1.value.bias : tensor<16xf32>
vit.parameter @layer1.output.weight : tensor<16x16xf32>
vit.parameter @layer1.output.bias : tensor<16xf32>
vit.parameter @layer1.after.weight : tensor<16xf32>
vit.parameter @layer1.after.bias : tensor<16xf32>
vit.parameter @layer1.up.weight : tensor<32x16xf32>
vit.parameter @layer1.up.bias : tensor<32xf32>
vit.parameter @layer1.down.weight : tensor<16x32xf32>
vit.parameter @layer1.down.bias : tensor<16xf32>
vit.parameter @final.weight : tensor<16xf32>
vit.parameter @final.bias : tensor<16xf32>
vit.parameter @classifier.weight : tensor<5x16xf32>
vit.parameter @classifier.bias : tensor<5xf32>
func.func @forward(%image: tensor<1x3x4x4xf32>) -> (tensor<1x5xf32> {vit.output = "logits"}) {
  %patch_weight = vit.get @patch.weight : tensor<16x3x2x2xf32>
  %patch_bias = vit.get @patch.bias : tensor<16xf32>
  %class = vit.get @class : tensor<1x1x16xf32>
  %position = vit.get @position : tensor<1x10x16xf32>
  %layer0_before_weight = vit.get @layer0.before.weight : tensor<16xf32>
  %layer0_before_bias = vit.get @layer0.before.bias : tensor<16xf32>
  %layer0_query_weight = vit.get @layer0.query.weight : tensor<16x16xf32>
  %layer0_query_bias = vit.get @layer0.query.bias : tensor<16xf32>
  %layer0_key_weight = vit.get @layer0.key.weight : tensor<16x16xf32>
  %layer0_key_bias = vit.get @layer0.key.bias : tensor<16xf32>
  %layer0_value_weight = vit.get @layer0.value.weight : tensor<16x16xf32>
  %layer0_value_bias = vit.get @layer0.value.bias : tensor<16xf32>
  %layer0_output_weight = vit.get @layer0.output.weight : tensor<16x16xf32>
  %layer0_output_bias = vit.get @layer0.output.bias : tensor<16xf32>
  %layer0_after_weight = vit.get @layer0.after.weight : tensor<16xf32>
  %layer0_after_bias = vit.get @layer0.after.bias : tensor<16xf32>
  %layer0_up_weight = vit.get @layer0.up.weight : tensor<32x16xf32>
  %layer0_up_bias = vit.get @layer0.up.bias : tensor<32xf32>
  %layer0_down_weight = vit.get @layer0.down.weight : tensor<16x32xf32>
  %layer0_down_bias = vit.get @layer0.down.bias : tensor<16xf32>
  %layer1_before_weight = vit.get @layer1.before.weight : tensor<16xf32>
  %layer1_before_bias = vit.get @layer1.before.bias : tensor<16xf32>
  %layer1_query_weight = vit.get @layer1.query.weight : tensor<16x16xf32>
  %layer1_query_bias = vit.get @layer1.query.bias : tensor<16xf32>
  %layer1_key_weight = vit.get @layer1.key.weight : tensor<16x16xf32>
  %layer1_key_bias = vit.get @layer1.key.bias : tensor<16xf32>
  %layer1_value_weight = vit.get @layer1.value.weight : tensor<16x16xf32>
  %layer1_value_bias = vit.get @layer1.value.bias : tensor<16xf32>
  %layer1_output_weight = vit.get @layer1.output.weight : tensor<16x16xf32>
  %layer1_output_bias = vit.get @layer1.output.bias : tensor<16xf32>
  %layer1_after_weight = vit.get @layer1.after.weight : tensor<16xf32>
  %layer1_after_bias = vit.get @layer1.after.bias : tensor<16xf32>
  %layer1_up_weight = vit.get @layer1.up.weight : tensor<32x16xf32>
  %layer1_up_bias = vit.get @layer1.up.bias : tensor<32xf32>
  %layer1_down_weight = vit.get @layer1.down.weight : tensor<16x32xf32>
  %layer1_down_bias = vit.get @layer1.down.bias : tensor<16xf32>
  %final_weight = vit.get @final.weight : tensor<16xf32>
  %final_bias = vit.get @final.bias : tensor<16xf32>
  %classifier_weight = vit.get @classifier.weight : tensor<5x16xf32>
  %classifier_bias = vit.get @classifier.bias : tensor<5xf32>

  %patches = vit.patch_embed %image, %patch_weight bias %patch_bias : (tensor<1x3x4x4xf32>, tensor<16x3x2x2xf32>, tensor<16xf32>) -> tensor<1x4x16xf32>
  %tokens = vit.concat_tokens %class, %patches : (tensor<1x1x16xf32>, tensor<1x4x16xf32>) -> tensor<1x5x16xf32>
  %resized = vit.resize_position %position from [3, 3] to [2, 2] prefix 1 : tensor<1x10x16xf32> -> tensor<1x5x16xf32>
  %x0 = vit.add_position %tokens, %resized : tensor<1x5x16xf32>, tensor<1x5x16xf32>
  %before0 = vit.layer_norm %x0 gain %layer0_before_weight bias %layer0_before_bias eps 1.0e-6 : tensor<1x5x16xf32>, tensor<16xf32>, tensor<16xf32>
  %query0 = vit.linear %before0, %layer0_query_weight bias %layer0_query_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %key0 = vit.linear %before0, %layer0_key_weight bias %layer0_key_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %value0 = vit.linear %before0, %layer0_value_weight bias %layer0_value_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %attended0 = vit.attention %query0, %key0, %value0 heads 2 scale 0.353553390593 : (tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x5x16xf32>
  %output0 = vit.linear %attended0, %layer0_output_weight bias %layer0_output_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %sum0 = vit.add %output0, %x0 : tensor<1x5x16xf32>
  %after0 = vit.layer_norm %sum0 gain %layer0_after_weight bias %layer0_after_bias eps 1.0e-6 : tensor<1x5x16xf32>, tensor<16xf32>, tensor<16xf32>
  %mlp0 = vit.mlp %after0 up %layer0_up_weight, %layer0_up_bias down %layer0_down_weight, %layer0_down_bias gelu
      : (tensor<1x5x16xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %x1 = vit.add %mlp0, %sum0 : tensor<1x5x16xf32>
  %before1 = vit.layer_norm %x1 gain %layer1_before_weight bias %layer1_before_bias eps 1.0e-6 : tensor<1x5x16xf32>, tensor<16xf32>, tensor<16xf32>
  %query1 = vit.linear %before1, %layer1_query_weight bias %layer1_query_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %key1 = vit.linear %before1, %layer1_key_weight bias %layer1_key_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %value1 = vit.linear %before1, %layer1_value_weight bias %layer1_value_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %attended1 = vit.attention %query1, %key1, %value1 heads 2 scale 0.353553390593 : (tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x5x16xf32>
  %output1 = vit.linear %attended1, %layer1_output_weight bias %layer1_output_bias : (tensor<1x5x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %sum1 = vit.add %output1, %x1 : tensor<1x5x16xf32>
  %after1 = vit.layer_norm %sum1 gain %layer1_after_weight bias %layer1_after_bias eps 1.0e-6 : tensor<1x5x16xf32>, tensor<16xf32>, tensor<16xf32>
  %mlp1 = vit.mlp %after1 up %layer1_up_weight, %layer1_up_bias down %layer1_down_weight, %layer1_down_bias gelu
      : (tensor<1x5x16xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<1x5x16xf32>
  %x2 = vit.add %mlp1, %sum1 : tensor<1x5x16xf32>
  %final = vit.layer_norm %x2 gain %final_weight bias %final_bias eps 1.0e-6 : tensor<1x5x16xf32>, tensor<16xf32>, tensor<16xf32>
  %pooled = vit.pool %final token 0 : tensor<1x5x16xf32> -> tensor<1x16xf32>
  %logits = vit.head %pooled, %classifier_weight bias %classifier_bias none : (tensor<1x16xf32>, tensor<5x16xf32>, tensor<5xf32>) -> tensor<1x5xf32>
  return %logits : tensor<1x5xf32>
}
