// RUN: %vitc-opt %s --vit-drop-key-bias | FileCheck %s

// Only the keys' bias goes; the maps do not change either.
// CHECK-LABEL: func.func @dropped
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
func.func @dropped(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>) {
  // CHECK-DAG: %[[Q:.+]] = vit.linear %[[X]], %[[W]] bias %[[B]]
  // CHECK-DAG: %[[K:.+]] = vit.linear %[[X]], %[[W]] :
  // CHECK: vit.attention %[[Q]], %[[K]],
  %q = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0, %maps = vit.attention %q, %k, %x heads 2 scale 0.25
      : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>)
  return %0, %maps : tensor<1x5x8xf32>, tensor<1x2x5x5xf32>
}

//===----------------------------------------------------------------------===//
// Where the bias stays
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @keys_are_values
func.func @keys_are_values(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %k = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %k heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @keys_returned
func.func @keys_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %k = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0, %k : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @activated_keys
func.func @activated_keys(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %k = vit.linear %x, %w bias %b activation relu : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %x heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}
