// RUN: %vitc-opt %s --vit-pool-early | FileCheck %s

// CHECK-LABEL: func.func @norm
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x8xf32>
func.func @norm(%x: tensor<2x5x8xf32>, %g: tensor<8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %[[TOKEN:.+]] = vit.pool %[[X]] token 3 : tensor<2x5x8xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: %[[RESULT:.+]] = vit.layer_norm %[[TOKEN]] {{.*}} : tensor<2x8xf32>,
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.layer_norm %x gain %g bias %g eps 0.0 : tensor<2x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = vit.pool %0 token 3 : tensor<2x5x8xf32> -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// A whole block behind the attention: MLP, residuals, norm. Only the tokens of its two inputs are taken.
// CHECK-LABEL: func.func @block
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[A:[^:]+]]: tensor<1x5x8xf32>, %[[U:[^:]+]]: tensor<16x8xf32>, %[[D:[^:]+]]: tensor<8x16xf32>
func.func @block(%x: tensor<1x5x8xf32>, %a: tensor<1x5x8xf32>, %u: tensor<16x8xf32>, %d: tensor<8x16xf32>) -> tensor<1x8xf32> {
  // CHECK-DAG: %[[X0:.+]] = vit.pool %[[X]] token 0
  // CHECK-DAG: %[[A0:.+]] = vit.pool %[[A]] token 0
  // CHECK: %[[SUM:.+]] = vit.add %[[X0]], %[[A0]] : tensor<1x8xf32>
  // CHECK: %[[UP:.+]] = vit.linear %[[SUM]], %[[U]] : (tensor<1x8xf32>, {{.*}} -> tensor<1x16xf32>
  // CHECK: %[[ACTIVE:.+]] = vit.activate %[[UP]] gelu : tensor<1x16xf32>
  // CHECK: %[[DOWN:.+]] = vit.linear %[[ACTIVE]], %[[D]] residual %[[SUM]] : {{.*}} -> tensor<1x8xf32>
  // CHECK: return %[[DOWN]]
  %0 = vit.add %x, %a : tensor<1x5x8xf32>
  %1 = vit.linear %0, %u : (tensor<1x5x8xf32>, tensor<16x8xf32>) -> tensor<1x5x16xf32>
  %2 = vit.activate %1 gelu : tensor<1x5x16xf32>
  %3 = vit.linear %2, %d residual %0 : (tensor<1x5x16xf32>, tensor<8x16xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %4 = vit.pool %3 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %4 : tensor<1x8xf32>
}

// Several pools of one token are still that token alone.
// CHECK-LABEL: func.func @pooled_twice
func.func @pooled_twice(%x: tensor<1x5x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  // CHECK-NEXT: %[[TOKEN:.+]] = vit.pool %{{.+}} token 1
  // CHECK-NEXT: %[[RESULT:.+]] = vit.activate %[[TOKEN]] relu : tensor<1x8xf32>
  // CHECK-NEXT: return %[[RESULT]], %[[RESULT]]
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  %1 = vit.pool %0 token 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  %2 = vit.pool %0 token 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1, %2 : tensor<1x8xf32>, tensor<1x8xf32>
}

// One value may stand on both sides.
// CHECK-LABEL: func.func @doubled
func.func @doubled(%x: tensor<1x5x8xf32>) -> tensor<1x8xf32> {
  // CHECK: %[[SUM:.+]] = vit.add %[[TOKEN:.+]], %[[TOKEN]] : tensor<1x8xf32>
  // CHECK-NEXT: return %[[SUM]]
  %0 = vit.add %x, %x : tensor<1x5x8xf32>
  %1 = vit.pool %0 token 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

//===----------------------------------------------------------------------===//
// Where the pool stays
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @two_tokens
func.func @two_tokens(%x: tensor<1x5x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  // CHECK-NEXT: vit.activate %{{.+}} relu : tensor<1x5x8xf32>
  // CHECK-NEXT: vit.pool
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  %1 = vit.pool %0 token 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  %2 = vit.pool %0 token 2 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1, %2 : tensor<1x8xf32>, tensor<1x8xf32>
}

// CHECK-LABEL: func.func @sequence_returned
func.func @sequence_returned(%x: tensor<1x5x8xf32>) -> (tensor<1x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: %[[ALL:.+]] = vit.activate %{{.+}} relu : tensor<1x5x8xf32>
  // CHECK-NEXT: vit.pool %[[ALL]]
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  %1 = vit.pool %0 token 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1, %0 : tensor<1x8xf32>, tensor<1x5x8xf32>
}

// The norm asks for one token, but the layer under it is read by another too.
// CHECK-LABEL: func.func @up_to_a_shared_layer
func.func @up_to_a_shared_layer(%x: tensor<1x5x8xf32>) -> (tensor<1x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: %[[SHARED:.+]] = vit.activate %{{.+}} relu : tensor<1x5x8xf32>
  // CHECK-NEXT: %[[TOKEN:.+]] = vit.pool %[[SHARED]] token 0
  // CHECK-NEXT: vit.layer_norm %[[TOKEN]]
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  %1 = vit.layer_norm %0 eps 0.0 : tensor<1x5x8xf32>
  %2 = vit.pool %1 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %2, %0 : tensor<1x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @mean
func.func @mean(%x: tensor<1x5x8xf32>) -> tensor<1x8xf32> {
  // CHECK-NEXT: %[[ALL:.+]] = vit.activate %{{.+}} relu : tensor<1x5x8xf32>
  // CHECK-NEXT: vit.pool %[[ALL]] mean 1
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  %1 = vit.pool %0 mean 1 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @tokens_mix
func.func @tokens_mix(%x: tensor<1x5x8xf32>) -> tensor<1x8xf32> {
  // CHECK-NEXT: %[[ALL:.+]] = vit.attention
  // CHECK-NEXT: vit.pool %[[ALL]] token 0
  %0 = vit.attention %x, %x, %x heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.pool %0 token 0 : tensor<1x5x8xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @not_pooled
func.func @not_pooled(%x: tensor<1x5x8xf32>) {
  // CHECK-NEXT: vit.activate %{{.+}} relu : tensor<1x5x8xf32>
  // CHECK-NEXT: return
  %0 = vit.activate %x relu : tensor<1x5x8xf32>
  return
}
