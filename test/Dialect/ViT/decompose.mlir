// RUN: %vitc-opt %s --vit-decompose | FileCheck %s --implicit-check-not=vit.mlp --implicit-check-not=vit.head
// RUN: %vitc-opt %s --vit-decompose --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAMES

vit.parameter @up.weight : tensor<16x8xf32>
vit.parameter @down.weight : tensor<8x16xf32>

// CHECK-LABEL: func.func @mlp
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x4x8xf32>, %[[U:[^:]+]]: tensor<16x8xf32>, %[[UB:[^:]+]]: tensor<16xf32>,
// CHECK-SAME: %[[D:[^:]+]]: tensor<8x16xf32>, %[[DB:[^:]+]]: tensor<8xf32>
func.func @mlp(%x: tensor<1x4x8xf32>, %u: tensor<16x8xf32>, %ub: tensor<16xf32>, %d: tensor<8x16xf32>, %db: tensor<8xf32>)
    -> tensor<1x4x8xf32> {
  // CHECK-NEXT: %[[HIDDEN:.+]] = vit.linear %[[X]], %[[U]] bias %[[UB]] : {{.*}} -> tensor<1x4x16xf32>
  // CHECK-NEXT: %[[ACTIVE:.+]] = vit.activate %[[HIDDEN]] gelu : tensor<1x4x16xf32>
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %[[ACTIVE]], %[[D]] bias %[[DB]] : {{.*}} -> tensor<1x4x8xf32>
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.mlp %x up %u, %ub down %d, %db gelu
      : (tensor<1x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// CHECK-LABEL: func.func @mlp_without_biases
func.func @mlp_without_biases(%x: tensor<4x8xf32>, %u: tensor<16x8xf32>, %d: tensor<8x16xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[HIDDEN:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-NEXT: %[[ACTIVE:.+]] = vit.activate %[[HIDDEN]] relu
  // CHECK-NEXT: vit.linear %[[ACTIVE]], %{{[^ ]+}} :
  %0 = vit.mlp %x up %u down %d relu : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pooler
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>, %[[B:[^:]+]]: tensor<8xf32>
func.func @pooler(%x: tensor<2x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %[[LINEAR:.+]] = vit.linear %[[X]], %[[W]] bias %[[B]]
  // CHECK-NEXT: %[[RESULT:.+]] = vit.activate %[[LINEAR]] tanh
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.head %x, %w bias %b tanh : (tensor<2x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// No activation is no op.
// CHECK-LABEL: func.func @classifier
func.func @classifier(%x: tensor<2x8xf32>, %w: tensor<3x8xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[RESULT:.+]] = vit.linear %{{[^ ]+}}, %{{[^ ]+}} : {{.*}} -> tensor<2x3xf32>
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.head %x, %w none : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Layers are called like their weights; what has no such name keeps its place in the file.
// NAMES-LABEL: func.func @names
func.func @names(%x: tensor<4x8xf32>, %d: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %u = vit.get @up.weight : tensor<16x8xf32>
  // NAMES: vit.linear {{.*}} loc("up")
  // NAMES: vit.activate {{.*}} loc("up.gelu")
  // NAMES: vit.linear {{.*}} loc("block")
  %0 = vit.mlp %x up %u down %d gelu : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<4x8xf32> loc("block")
  return %0 : tensor<4x8xf32>
}

// NAMES-LABEL: func.func @places
func.func @places(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // NAMES: vit.linear {{.*}} loc("{{.*}}decompose.mlir":[[# @LINE + 2]]:
  // NAMES: vit.activate {{.*}} loc("{{.*}}decompose.mlir":[[# @LINE + 1]]:
  %0 = vit.head %x, %w tanh : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
