// RUN: %vitc-opt %s --vit-fuse-qkv | FileCheck %s
// RUN: %vitc-opt %s --vit-fuse-qkv --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @fused
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[WQ:[^:]+]]: tensor<8x8xf32>, %[[WK:[^:]+]]: tensor<8x8xf32>, %[[WV:[^:]+]]: tensor<8x8xf32>
// CHECK-SAME: %[[BQ:[^:]+]]: tensor<8xf32>, %[[BK:[^:]+]]: tensor<8xf32>, %[[BV:[^:]+]]: tensor<8xf32>
// NAMES-LABEL: func.func @fused
func.func @fused(%x: tensor<1x5x8xf32>, %wq: tensor<8x8xf32>, %wk: tensor<8x8xf32>, %wv: tensor<8x8xf32>,
                 %bq: tensor<8xf32>, %bk: tensor<8xf32>, %bv: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NEXT: %[[W:.+]] = vit.concat %[[WQ]], %[[WK]], %[[WV]] along 0 : {{.*}} -> tensor<24x8xf32>
  // CHECK-NEXT: %[[B:.+]] = vit.concat %[[BQ]], %[[BK]], %[[BV]] along 0 : {{.*}} -> tensor<24xf32>
  // CHECK-NEXT: %[[QKV:.+]] = vit.linear %[[X]], %[[W]] bias %[[B]] : {{.*}} -> tensor<1x5x24xf32>
  // CHECK-NEXT: %[[Q:.+]] = vit.slice %[[QKV]] along 2 from 0 :
  // CHECK-NEXT: %[[K:.+]] = vit.slice %[[QKV]] along 2 from 8 :
  // CHECK-NEXT: %[[V:.+]] = vit.slice %[[QKV]] along 2 from 16 :
  // CHECK-NEXT: vit.attention %[[Q]], %[[K]], %[[V]] heads 2
  // NAMES: vit.concat {{.*}} loc("block.attention.qkv.weight")
  // NAMES: vit.concat {{.*}} loc("block.attention.qkv.bias")
  // NAMES: vit.linear {{.*}} loc("block.attention.qkv")
  %v = vit.linear %x, %wv bias %bv : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32> loc("block.attention.value")
  %q = vit.linear %x, %wq bias %bq : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32> loc("block.attention.query")
  %k = vit.linear %x, %wk bias %bk : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32> loc("block.attention.key")
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @no_bias
func.func @no_bias(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>) {
  // CHECK-NEXT: %[[W:.+]] = vit.concat %[[ONE:.+]], %[[ONE]], %[[ONE]] along 0
  // CHECK-NEXT: vit.linear %{{[^ ]+}}, %[[W]] :
  // CHECK: vit.attention
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0, %maps = vit.attention %q, %k, %v heads 2 scale 1.0
      : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>)
  return %0, %maps : tensor<1x5x8xf32>, tensor<1x2x5x5xf32>
}

// A layer without a bias gets zeros.
// CHECK-LABEL: func.func @some_biases
// CHECK-SAME: %[[B:[^: ]+]]: tensor<8xf32>)
func.func @some_biases(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: %[[ZEROS:.+]] = vit.fill 0.000000e+00 : tensor<8xf32>
  // CHECK: vit.concat %[[B]], %[[ZEROS]], %[[B]] along 0
  %q = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w bias %b : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

//===----------------------------------------------------------------------===//
// Where three layers stay three
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @other_input
func.func @other_input(%x: tensor<1x5x8xf32>, %y: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NOT: vit.concat
  // CHECK-COUNT-3: vit.linear
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %y, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %y, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @query_returned
func.func @query_returned(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NOT: vit.concat
  // CHECK-COUNT-3: vit.linear
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0, %q : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @keys_are_values
func.func @keys_are_values(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NOT: vit.concat
  // CHECK-COUNT-2: vit.linear
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %k, %k heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @activated
func.func @activated(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NOT: vit.concat
  // CHECK-COUNT-3: vit.linear
  %q = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %k = vit.linear %x, %w activation relu : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @not_a_layer
func.func @not_a_layer(%x: tensor<1x5x8xf32>, %w: tensor<8x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK-NOT: vit.concat
  // CHECK-COUNT-2: vit.linear
  %k = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %v = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %0 = vit.attention %x, %k, %v heads 2 scale 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}
