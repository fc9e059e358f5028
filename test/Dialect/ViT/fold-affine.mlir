// RUN: %vitc-opt %s --vit-fold-affine | FileCheck %s

// A layer scale goes into weight and bias of the layer before.
// CHECK-LABEL: func.func @layer_scale
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[W:[^:]+]]: tensor<6x8xf32>, %[[B:[^:]+]]: tensor<6xf32>, %[[S:[^:]+]]: tensor<6xf32>
func.func @layer_scale(%x: tensor<1x5x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>, %s: tensor<6xf32>) -> tensor<1x5x6xf32> {
  // CHECK-DAG: %[[W1:.+]] = vit.scale_rows %[[W]] by %[[S]]
  // CHECK-DAG: %[[B1:.+]] = vit.gate %[[B]] by %[[S]] none
  // CHECK: %[[Y:.+]] = vit.linear %[[X]], %[[W1]] bias %[[B1]]
  // CHECK-NEXT: return %[[Y]]
  %0 = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<1x5x6xf32>
  %1 = vit.affine %0 scale %s : (tensor<1x5x6xf32>, tensor<6xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}

// A batch norm's parameters may be computed after the layer that takes them.
// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: %[[W:[^:]+]]: tensor<6x2x2x8xf32>, %[[V:[^:]+]]: tensor<6xf32>, %[[T:[^:]+]]: tensor<6xf32>
func.func @batch_norm(%x: tensor<1x4x8xf32>, %w: tensor<6x2x2x8xf32>, %v: tensor<6xf32>, %t: tensor<6xf32>) -> tensor<1x1x6xf32> {
  // CHECK: %[[S:.+]] = vit.inverse_root %[[V]]
  // CHECK: %[[W1:.+]] = vit.scale_rows %[[W]] by %[[S]]
  // CHECK: %[[Y:.+]] = vit.conv %{{.+}}, %[[W1]] bias %[[T]]
  // CHECK-NEXT: return %[[Y]]
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<6x2x2x8xf32>) -> tensor<1x1x6xf32>
  %s = vit.inverse_root %v eps 0.5 : tensor<6xf32>
  %1 = vit.affine %0 scale %s shift %t : (tensor<1x1x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x1x6xf32>
  return %1 : tensor<1x1x6xf32>
}

// CHECK-LABEL: func.func @depthwise
// CHECK-SAME: %[[W:[^:]+]]: tensor<2x2x8xf32>, %[[B:[^:]+]]: tensor<8xf32>, %[[S:[^:]+]]: tensor<8xf32>
func.func @depthwise(%x: tensor<1x4x8xf32>, %w: tensor<2x2x8xf32>, %b: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<1x1x8xf32> {
  // CHECK-DAG: %[[W1:.+]] = vit.scale_columns %[[W]] by %[[S]]
  // CHECK-DAG: %[[SB:.+]] = vit.gate %[[B]] by %[[S]] none
  // CHECK-DAG: %[[B1:.+]] = vit.add %[[SB]], %[[B]]
  // CHECK: vit.depthwise_conv %{{.+}}, %[[W1]] bias %[[B1]]
  %0 = vit.depthwise_conv %x, %w bias %b grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<2x2x8xf32>, tensor<8xf32>) -> tensor<1x1x8xf32>
  %1 = vit.affine %0 scale %s shift %b : (tensor<1x1x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x1x8xf32>
  return %1 : tensor<1x1x8xf32>
}

// With no layer before, it goes into those behind.
// CHECK-LABEL: func.func @behind
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[W:[^:]+]]: tensor<6x8xf32>, %[[S:[^:]+]]: tensor<8xf32>, %[[T:[^:]+]]: tensor<8xf32>
func.func @behind(%x: tensor<1x5x8xf32>, %w: tensor<6x8xf32>, %s: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<1x5x6xf32> {
  // CHECK-DAG: %[[W1:.+]] = vit.scale_columns %[[W]] by %[[S]]
  // CHECK-DAG: %[[B1:.+]] = vit.linear %[[T]], %[[W]] :
  // CHECK: vit.linear %[[X]], %[[W1]] bias %[[B1]]
  %0 = vit.affine %x scale %s shift %t : (tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.linear %0, %w : (tensor<1x5x8xf32>, tensor<6x8xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}

//===----------------------------------------------------------------------===//
// Where it stays
//===----------------------------------------------------------------------===//

// An activation stands in between.
// CHECK-LABEL: func.func @activation
func.func @activation(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: vit.affine
  %0 = vit.linear %x, %w activation relu : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.affine %0 scale %s : (tensor<1x5x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  return %1 : tensor<1x5x8xf32>
}

// Somebody else reads the layer.
// CHECK-LABEL: func.func @two_readers
func.func @two_readers(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %s: tensor<8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK: vit.affine
  %0 = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.affine %0 scale %s : (tensor<1x5x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  return %0, %1 : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// Neither a bias nor a shift.
// CHECK-LABEL: func.func @without_bias
func.func @without_bias(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: %[[W1:.+]] = vit.scale_rows
  // CHECK: vit.linear %{{[^ ]+}}, %[[W1]] : (
  %0 = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.affine %0 scale %s : (tensor<1x5x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  return %1 : tensor<1x5x8xf32>
}
