// RUN: %vitc-opt %s --vit-fold-norm | FileCheck %s
// RUN: %vitc-opt %s --kernel-attach-target=levels=avx2,zen4:winograd --vit-fold-norm | FileCheck %s --check-prefix=KEEP

// KEEP-LABEL: func.func @folded
// KEEP-SAME: %[[G:[^:]+]]: tensor<8xf32>, %[[BETA:[^:]+]]: tensor<8xf32>, %[[W:[^:]+]]: tensor<6x8xf32>, %[[B:[^:]+]]: tensor<6xf32>
// KEEP-DAG: %[[NORMED:.+]] = vit.layer_norm %{{[^ ]+}} gain %[[G]] eps
// KEEP-DAG: %[[B1:.+]] = vit.linear %[[BETA]], %[[W]] bias %[[B]]
// KEEP: vit.linear %[[NORMED]], %[[W]] bias %[[B1]]

// CHECK-LABEL: func.func @folded
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[G:[^:]+]]: tensor<8xf32>, %[[BETA:[^:]+]]: tensor<8xf32>, %[[W:[^:]+]]: tensor<6x8xf32>, %[[B:[^:]+]]: tensor<6xf32>
func.func @folded(%x: tensor<1x5x8xf32>, %g: tensor<8xf32>, %beta: tensor<8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>)
    -> tensor<1x5x6xf32> {
  // CHECK-DAG: %[[NORMED:.+]] = vit.layer_norm %[[X]] eps 5.000000e-01 : tensor<1x5x8xf32>{{$}}
  // CHECK-DAG: %[[W1:.+]] = vit.scale_columns %[[W]] by %[[G]]
  // CHECK-DAG: %[[B1:.+]] = vit.linear %[[BETA]], %[[W]] bias %[[B]]
  // CHECK: vit.linear %[[NORMED]], %[[W1]] bias %[[B1]]
  %0 = vit.layer_norm %x gain %g bias %beta eps 0.5 : tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.linear %0, %w bias %b : (tensor<1x5x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}

// A layer without a bias gets one; every layer that reads the norm takes its part, a pooled token's too.
// CHECK-LABEL: func.func @several_layers
// CHECK-SAME: %[[W:[^:]+]]: tensor<6x8xf32>, %[[V:[^: ]+]]: tensor<3x8xf32>)
func.func @several_layers(%x: tensor<1x5x8xf32>, %g: tensor<8xf32>, %w: tensor<6x8xf32>, %v: tensor<3x8xf32>)
    -> (tensor<1x5x6xf32>, tensor<1x3xf32>) {
  // CHECK: %[[NORMED:.+]] = vit.layer_norm %{{[^ ]+}} eps
  // CHECK-DAG: %[[W1:.+]] = vit.scale_columns %[[W]]
  // CHECK-DAG: %[[B1:.+]] = vit.linear %{{.+}}, %[[W]] : (tensor<8xf32>, tensor<6x8xf32>) -> tensor<6xf32>
  // CHECK-DAG: vit.linear %[[NORMED]], %[[W1]] bias %[[B1]]
  // CHECK-DAG: %[[TOKEN:.+]] = vit.pool %[[NORMED]] token 0
  // CHECK-DAG: %[[V1:.+]] = vit.scale_columns %[[V]]
  // CHECK-DAG: %[[C1:.+]] = vit.linear %{{.+}}, %[[V]] : (tensor<8xf32>, tensor<3x8xf32>) -> tensor<3xf32>
  // CHECK-DAG: vit.linear %[[TOKEN]], %[[V1]] bias %[[C1]]
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.linear %0, %w : (tensor<1x5x8xf32>, tensor<6x8xf32>) -> tensor<1x5x6xf32>
  %2 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  %3 = vit.linear %2, %v : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<1x3xf32>
  return %1, %3 : tensor<1x5x6xf32>, tensor<1x3xf32>
}

//===----------------------------------------------------------------------===//
// Where gain and bias stay
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @norm_returned
func.func @norm_returned(%x: tensor<1x8xf32>, %g: tensor<8xf32>, %w: tensor<6x8xf32>) -> (tensor<1x6xf32>, tensor<1x8xf32>) {
  // CHECK-NEXT: vit.layer_norm %{{[^ ]+}} gain
  // CHECK-NEXT: vit.linear %{{[^ ]+}}, %{{[^ ]+}} :
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.linear %0, %w : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<1x6xf32>
  return %1, %0 : tensor<1x6xf32>, tensor<1x8xf32>
}

// CHECK-LABEL: func.func @also_a_residual
func.func @also_a_residual(%x: tensor<1x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xf32>) -> tensor<1x8xf32> {
  // CHECK-NEXT: %[[NORMED:.+]] = vit.layer_norm %{{[^ ]+}} gain
  // CHECK-NEXT: vit.linear %[[NORMED]], %{{[^ ]+}} residual %[[NORMED]]
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.linear %0, %w residual %0 : (tensor<1x8xf32>, tensor<8x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// A mean commutes too, but is not looked for.
// CHECK-LABEL: func.func @mean
func.func @mean(%x: tensor<1x5x8xf32>, %g: tensor<8xf32>, %w: tensor<6x8xf32>) -> tensor<1x6xf32> {
  // CHECK-NEXT: vit.layer_norm %{{[^ ]+}} gain
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.pool %0 mean 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  %2 = vit.linear %1, %w : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<1x6xf32>
  return %2 : tensor<1x6xf32>
}

// CHECK-LABEL: func.func @nobody_reads
func.func @nobody_reads(%x: tensor<1x8xf32>, %g: tensor<8xf32>) {
  // CHECK-NEXT: vit.layer_norm %{{[^ ]+}} gain
  %0 = vit.layer_norm %x gain %g bias %g eps 0.5 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// A norm without a bias adds none.
// CHECK-LABEL: func.func @rms
func.func @rms(%x: tensor<1x5x8xf32>, %g: tensor<8xf32>, %w: tensor<6x8xf32>) -> tensor<1x5x6xf32> {
  // CHECK-DAG: %[[NORMED:.+]] = vit.layer_norm %{{[^ ]+}} eps 5.000000e-01 rms : tensor<1x5x8xf32>{{$}}
  // CHECK-DAG: %[[W1:.+]] = vit.scale_columns
  // CHECK: vit.linear %[[NORMED]], %[[W1]] : (
  %0 = vit.layer_norm %x gain %g eps 0.5 rms : tensor<1x5x8xf32>, tensor<8xf32>
  %1 = vit.linear %0, %w : (tensor<1x5x8xf32>, tensor<6x8xf32>) -> tensor<1x5x6xf32>
  return %1 : tensor<1x5x6xf32>
}
