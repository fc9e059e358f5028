// RUN: %vitc-opt %s --vit-hoist-parameters --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: %vitc-opt %s --vit-hoist-parameters --split-input-file --allow-unregistered-dialect \
// RUN:   | %vitc-opt --vit-hoist-parameters --split-input-file --allow-unregistered-dialect | FileCheck %s

// What is computed from parameters alone becomes a parameter, called like the layer that computed it.
// CHECK: vit.parameter @a
// CHECK: vit.parameter @b
// CHECK-NOT: @unused
// CHECK: vit.parameter @joint : tensor<4xf32> {
// CHECK-NEXT: %[[A:.+]] = vit.get @a
// CHECK-NEXT: %[[B:.+]] = vit.get @b
// CHECK-NEXT: %[[AB:.+]] = vit.concat %[[A]], %[[B]] along 0
// CHECK-NEXT: %[[SCALED:.+]] = vit.scale %[[AB]] by
// CHECK-NEXT: vit.yield %[[SCALED]] : tensor<4xf32>
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x4xf32>
// CHECK-NEXT: %[[JOINT:.+]] = vit.get @joint : tensor<4xf32>
// CHECK-NEXT: vit.layer_norm %[[X]] gain %[[JOINT]] bias %[[JOINT]]
vit.parameter @a : tensor<1xf32>
vit.parameter @b : tensor<3xf32>
vit.parameter @unused : tensor<3xf32>
func.func @forward(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %a = vit.get @a : tensor<1xf32>
  %b = vit.get @b : tensor<3xf32>
  %0 = vit.concat %a, %b along 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %1 = vit.scale %0 by 2.0 : tensor<4xf32> loc("joint")
  %2 = vit.layer_norm %x gain %1 bias %1 eps 0.0 : tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<1x4xf32>
}

// -----

// A value that is used both ways is computed for each of them. Names that are taken get a number.
// CHECK: vit.parameter @a : tensor<8xf32>{{$}}
// CHECK: vit.parameter @[[FIRST:a_[0-9]+]] : tensor<8xf32> {
// CHECK-NEXT: vit.get @a
// CHECK-NEXT: vit.scale
// CHECK-NEXT: vit.yield
// CHECK: vit.parameter @derived : tensor<8xf32> {
// CHECK-NEXT: vit.get @a
// CHECK-NEXT: vit.scale
// CHECK-NEXT: vit.activate
// CHECK-NEXT: vit.yield
// CHECK-LABEL: func.func @forward
// CHECK-DAG: %[[G:.+]] = vit.get @[[FIRST]]
// CHECK-DAG: %[[B:.+]] = vit.get @derived
// CHECK: vit.layer_norm %{{.+}} gain %[[G]] bias %[[B]]
vit.parameter @a : tensor<8xf32>
func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %a = vit.get @a : tensor<8xf32>
  %0 = vit.scale %a by 2.0 : tensor<8xf32> loc("a")
  %1 = vit.activate %0 relu : tensor<8xf32>
  %2 = vit.layer_norm %x gain %0 bias %1 eps 0.0 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %2 : tensor<1x8xf32>
}

// -----

// The name may also be taken by something that follows the function.
// CHECK: vit.parameter @[[NEW:a_[0-9]+]] : tensor<8xf32> {
// CHECK-LABEL: func.func @forward
// CHECK: vit.get @[[NEW]]
// CHECK: vit.parameter @a : tensor<8xf32>{{$}}
func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %a = vit.get @a : tensor<8xf32>
  %0 = vit.scale %a by 2.0 : tensor<8xf32> loc("a")
  %1 = vit.layer_norm %x gain %0 bias %0 eps 0.0 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %1 : tensor<1x8xf32>
}
vit.parameter @a : tensor<8xf32>

// -----

// A returned constant is read, not computed; a value filled in needs no parameter to start from.
// CHECK: vit.parameter @derived : tensor<8xf32> {
// CHECK-NEXT: %[[ONES:.+]] = vit.fill 1.000000e+00
// CHECK-NEXT: vit.yield %[[ONES]]
// CHECK-LABEL: func.func @forward
// CHECK: %[[VALUE:.+]] = vit.get @derived
// CHECK: return %{{.+}}, %[[VALUE]]
func.func @forward(%x: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<8xf32>) {
  %0 = vit.fill 1.0 : tensor<8xf32>
  return %x, %0 : tensor<1x8xf32>, tensor<8xf32>
}

// -----

// Derived parameters keep what they read, and so does everything else that names a parameter.
// CHECK: vit.parameter @source
// CHECK: vit.parameter @derived
// CHECK-NOT: @orphan
// CHECK: vit.parameter @packed
// CHECK: kernel.constant @packed.rows #kernel.rows<16> of @packed
vit.parameter @source : tensor<8xf32>
vit.parameter @derived : tensor<8xf32> {
  %0 = vit.get @source : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
}
vit.parameter @orphan.source : tensor<8xf32>
vit.parameter @orphan : tensor<8xf32> {
  %0 = vit.get @orphan.source : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
}
vit.parameter @packed : tensor<8xf32>
kernel.constant @packed.rows #kernel.rows<16> of @packed : memref<1x16xf32>
func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = vit.get @derived : tensor<8xf32>
  %1 = vit.layer_norm %x gain %0 bias %0 eps 0.0 : tensor<1x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %1 : tensor<1x8xf32>
}

// -----

// What depends on the image stays, and so do ops of dialects that nobody knows.
// CHECK-NOT: vit.parameter @{{.*}} {
// CHECK-LABEL: func.func @forward
// CHECK: vit.linear
// CHECK: vit.get @a
// CHECK: "other.op"
// CHECK-LABEL: func.func private @external
vit.parameter @w : tensor<8x8xf32>
vit.parameter @a : tensor<8xf32>
func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = vit.get @w : tensor<8x8xf32>
  %0 = vit.linear %x, %w : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %a = vit.get @a : tensor<8xf32>
  "other.op"(%a) : (tensor<8xf32>) -> ()
  return %0 : tensor<1x8xf32>
}
func.func private @external(tensor<1x8xf32>) -> tensor<1x8xf32>
