// RUN: %vitc-opt %s --vit-fuse-epilogues | FileCheck %s

// CHECK-LABEL: func.func @activation
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
func.func @activation(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %[[X]], %[[W]] bias %[[B]] activation quick_gelu
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.linear %x, %w bias %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = vit.activate %0 quick_gelu : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// The residual may stand on either side, and come after the layer.
// CHECK-LABEL: func.func @residual
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[SUM:.+]] = vit.linear %[[X]], %[[W]] residual %[[X]]
  // CHECK-NEXT: %[[LATER:.+]] = vit.layer_norm %[[X]]
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %[[SUM]], %[[W]] residual %[[LATER]]
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.add %x, %0 : tensor<4x8xf32>
  %2 = vit.linear %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = vit.layer_norm %x eps 0.0 : tensor<4x8xf32>
  %4 = vit.add %2, %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// The activation is inside the sum.
// CHECK-LABEL: func.func @activation_then_residual
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x8xf32>
func.func @activation_then_residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %[[X]], %{{[^ ]+}} residual %[[X]] activation gelu
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.activate %0 gelu : tensor<4x8xf32>
  %2 = vit.add %1, %x : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// One of two layers takes the other as its residual.
// CHECK-LABEL: func.func @two_layers
func.func @two_layers(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[ONE:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} residual %[[ONE]]
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.linear %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = vit.add %0, %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

//===----------------------------------------------------------------------===//
// What stays apart
//===----------------------------------------------------------------------===//

// The sum comes first: activation(linear + x) is not activation(linear) + x.
// CHECK-LABEL: func.func @residual_then_activation
func.func @residual_then_activation(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[SUM:.+]] = vit.linear %[[X:.+]], %{{.+}} residual %[[X]] :
  // CHECK-NEXT: vit.activate %[[SUM]] gelu
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.add %0, %x : tensor<4x8xf32>
  %2 = vit.activate %1 gelu : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @two_activations
func.func @two_activations(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[FIRST:.+]] = vit.linear {{.*}} activation gelu
  // CHECK-NEXT: vit.activate %[[FIRST]] tanh
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.activate %0 gelu : tensor<4x8xf32>
  %2 = vit.activate %1 tanh : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @two_residuals
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x8xf32>, %[[Y:[^:]+]]: tensor<4x8xf32>
func.func @two_residuals(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[FIRST:.+]] = vit.linear {{.*}} residual %[[X]]
  // CHECK-NEXT: vit.add %[[FIRST]], %[[Y]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.add %0, %x : tensor<4x8xf32>
  %2 = vit.add %1, %y : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_returned
func.func @layer_returned(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[LAYER:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-NEXT: vit.activate %[[LAYER]] gelu
  // CHECK-NEXT: vit.add %[[LAYER]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.activate %0 gelu : tensor<4x8xf32>
  %2 = vit.add %0, %x : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @doubled
func.func @doubled(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[LAYER:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-NEXT: vit.add %[[LAYER]], %[[LAYER]]
  %0 = vit.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = vit.add %0, %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
