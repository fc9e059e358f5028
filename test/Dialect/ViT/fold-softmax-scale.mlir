// RUN: %vitc-opt %s --vit-fold-softmax-scale | FileCheck %s

// CHECK-LABEL: func.func @folded
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
func.func @folded(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-DAG: %[[W1:.+]] = vit.scale %[[W]] by 2.500000e-01
  // CHECK-DAG: %[[B1:.+]] = vit.scale %[[B]] by 2.500000e-01
  // CHECK: %[[Q:.+]] = vit.linear %[[X]], %[[W1]] bias %[[B1]]
  // CHECK: vit.attention %[[Q]], %[[X]], %[[X]] heads 2 scale 1.000000e+00
  %q = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %x, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @no_bias
func.func @no_bias(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NEXT: %[[W1:.+]] = vit.scale
  // CHECK-NEXT: vit.linear %{{[^ ]+}}, %[[W1]] :
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %x, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

//===----------------------------------------------------------------------===//
// Where the scale stays
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @scale_of_one
func.func @scale_of_one(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NOT: vit.scale
  // CHECK: vit.attention
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %x, %x heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @query_returned
func.func @query_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK: vit.attention {{.*}} scale 2.500000e-01
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %x, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0, %q : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @query_is_key
func.func @query_is_key(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: vit.attention {{.*}} scale 2.500000e-01
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %q, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @activated_query
func.func @activated_query(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: vit.attention {{.*}} scale 2.500000e-01
  %q = vit.linear %x, %w activation gelu : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %x, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}
