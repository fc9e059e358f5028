// RUN: %vitc-opt %s --vit-move-value-bias | FileCheck %s

// CHECK-LABEL: func.func @moved
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>, %[[B:[^:]+]]: tensor<8xf32>, %[[O:[^:]+]]: tensor<6x8xf32>, %[[C:[^:]+]]: tensor<6xf32>
func.func @moved(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %o: tensor<6x8xf32>, %c: tensor<6xf32>) -> tensor<1x5x6xf32> {
  // CHECK-DAG: %[[V:.+]] = vit.linear %[[X]], %[[W]] :
  // CHECK-DAG: %[[A:.+]] = vit.attention %[[X]], %[[X]], %[[V]]
  // CHECK-DAG: %[[BIAS:.+]] = vit.linear %[[B]], %[[O]] bias %[[C]] : {{.*}} -> tensor<6xf32>
  // CHECK: vit.linear %[[A]], %[[O]] bias %[[BIAS]] activation relu
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %x, %v heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %0, %o bias %c activation relu : (tensor<1x5x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}

// A layer without a bias gets one.
// CHECK-LABEL: func.func @new_bias
// CHECK-SAME: %[[B:[^:]+]]: tensor<8xf32>, %[[O:[^: ]+]]: tensor<6x8xf32>)
func.func @new_bias(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %o: tensor<6x8xf32>) -> tensor<1x5x6xf32> {
  // CHECK: %[[BIAS:.+]] = vit.linear %[[B]], %[[O]] :
  // CHECK: vit.linear %{{[^ ]+}}, %[[O]] bias %[[BIAS]]
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %x, %v heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %0, %o : (tensor<1x5x8xf32>, tensor<6x8xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}

//===----------------------------------------------------------------------===//
// Where the bias stays
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @values_returned
func.func @values_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %x, %v heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %0, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  return %1, %v : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @result_returned
func.func @result_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %x, %v heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %0, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  return %1, %0 : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// The attention is the residual of the layer, not its input.
// CHECK-LABEL: func.func @result_is_a_residual
func.func @result_is_a_residual(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NEXT: vit.linear {{.*}} bias
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %x, %v heads 2 scale 0.25 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %x, %w residual %0 : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %1 : tensor<1x5x8xf32>
}
