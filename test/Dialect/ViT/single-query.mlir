// RUN: %vitc-opt %s --vit-single-query | FileCheck %s

// CHECK-LABEL: func.func @one_token
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x8xf32>, %[[Q:[^:]+]]: tensor<2x5x6xf32>, %[[K:[^:]+]]: tensor<6x8xf32>, %[[V:[^:]+]]: tensor<6x8xf32>
func.func @one_token(%x: tensor<2x5x8xf32>, %q: tensor<2x5x6xf32>, %wk: tensor<6x8xf32>, %wv: tensor<6x8xf32>) -> tensor<2x6xf32> {
  // CHECK-NEXT: %[[Q3:.+]] = vit.pool %[[Q]] token 3 : tensor<2x5x6xf32> -> tensor<2x6xf32>
  // CHECK-NEXT: %[[RESULT:.+]] = vit.single_query_attention %[[X]] query %[[Q3]] key %[[K]] value %[[V]] heads 3 scale 2.500000e-01
  // CHECK-NEXT: return %[[RESULT]]
  %k = vit.linear %x, %wk : (tensor<2x5x8xf32>, tensor<6x8xf32>) -> tensor<2x5x6xf32>
  %v = vit.linear %x, %wv : (tensor<2x5x8xf32>, tensor<6x8xf32>) -> tensor<2x5x6xf32>
  %0 = vit.attention %q, %k, %v heads 3 scale 0.25 : (tensor<2x5x6xf32>, tensor<2x5x6xf32>, tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
  %1 = vit.pool %0 token 3 : tensor<2x5x6xf32> -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

//===----------------------------------------------------------------------===//
// Where all tokens attend
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @mean
func.func @mean(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x8xf32> {
  // CHECK: vit.attention
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 mean 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @all_tokens_returned
func.func @all_tokens_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<1x5x8xf32>) {
  // CHECK: vit.attention
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1, %0 : tensor<1x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @maps_wanted
func.func @maps_wanted(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<1x2x5x5xf32>) {
  // CHECK: vit.attention
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0, %maps = vit.attention %x, %k, %v heads 2 scale 1.0
      : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>)
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1, %maps : tensor<1x8xf32>, tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func.func @biased_keys
func.func @biased_keys(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x8xf32> {
  // CHECK: vit.attention
  %k = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @keys_of_another_sequence
func.func @keys_of_another_sequence(%x: tensor<1x5x8xf32>, %y: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x8xf32> {
  // CHECK: vit.attention
  %k = vit.linear %y, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @keys_are_values
func.func @keys_are_values(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x8xf32> {
  // CHECK: vit.attention
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %k heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}
