// RUN: %vitc-opt %s --vit-sink-position | FileCheck %s

// CHECK-LABEL: func.func @class_token
// CHECK-SAME: %[[IMAGE:[^:]+]]: tensor<2x3x4x4xf32>, %[[W:[^:]+]]: tensor<8x3x2x2xf32>, %[[B:[^:]+]]: tensor<8xf32>,
// CHECK-SAME: %[[CLASS:[^:]+]]: tensor<1x1x8xf32>, %[[P:[^:]+]]: tensor<1x5x8xf32>
func.func @class_token(%image: tensor<2x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %b: tensor<8xf32>, %class: tensor<1x1x8xf32>,
                       %p: tensor<1x5x8xf32>) -> tensor<2x5x8xf32> {
  // CHECK-DAG: %[[P0:.+]] = vit.slice %[[P]] along 1 from 0 : tensor<1x5x8xf32> -> tensor<1x1x8xf32>
  // CHECK-DAG: %[[P1:.+]] = vit.slice %[[P]] along 1 from 1 : tensor<1x5x8xf32> -> tensor<1x4x8xf32>
  // CHECK-DAG: %[[TOKEN:.+]] = vit.add %[[CLASS]], %[[P0]]
  // CHECK-DAG: %[[PATCHES:.+]] = vit.patch_embed %[[IMAGE]], %[[W]] bias %[[B]] position %[[P1]]
  // CHECK-NOT: vit.add_position
  // CHECK: %[[RESULT:.+]] = vit.concat_tokens %[[TOKEN]], %[[PATCHES]]
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.patch_embed %image, %w bias %b : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = vit.concat_tokens %class, %0 : (tensor<1x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x5x8xf32>
  %2 = vit.add_position %1, %p : tensor<2x5x8xf32>, tensor<1x5x8xf32>
  return %2 : tensor<2x5x8xf32>
}

// CHECK-LABEL: func.func @patches_only
// CHECK-SAME: %[[P:[^: ]+]]: tensor<1x4x8xf32>)
func.func @patches_only(%image: tensor<2x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %p: tensor<1x4x8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[RESULT:.+]] = vit.patch_embed %{{[^ ]+}}, %{{[^ ]+}} position %[[P]]
  // CHECK-NEXT: return %[[RESULT]]
  %0 = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  %1 = vit.add_position %0, %p : tensor<2x4x8xf32>, tensor<1x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Two concatenations: the position is split twice.
// CHECK-LABEL: func.func @distillation_token
// CHECK-SAME: %[[DIST:[^:]+]]: tensor<1x1x8xf32>, %[[CLASS:[^:]+]]: tensor<1x1x8xf32>, %[[P:[^: ]+]]: tensor<1x6x8xf32>)
func.func @distillation_token(%image: tensor<1x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %dist: tensor<1x1x8xf32>, %class: tensor<1x1x8xf32>,
                              %p: tensor<1x6x8xf32>) -> tensor<1x6x8xf32> {
  // CHECK-NOT: vit.add_position
  // CHECK: %[[PATCHES:.+]] = vit.patch_embed {{.*}} position
  // CHECK: %[[INNER:.+]] = vit.concat_tokens %{{.+}}, %[[PATCHES]]
  // CHECK: vit.concat_tokens %{{.+}}, %[[INNER]]
  %0 = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %1 = vit.concat_tokens %dist, %0 : (tensor<1x1x8xf32>, tensor<1x4x8xf32>) -> tensor<1x5x8xf32>
  %2 = vit.concat_tokens %class, %1 : (tensor<1x1x8xf32>, tensor<1x5x8xf32>) -> tensor<1x6x8xf32>
  %3 = vit.add_position %2, %p : tensor<1x6x8xf32>, tensor<1x6x8xf32>
  return %3 : tensor<1x6x8xf32>
}

// Only the patches' part can sink further than the concatenation.
// CHECK-LABEL: func.func @normed_patches
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x4x8xf32>
func.func @normed_patches(%x: tensor<1x4x8xf32>, %class: tensor<1x1x8xf32>, %p: tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  // CHECK: %[[PATCHES:.+]] = vit.add_position %[[X]], %{{.+}} : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  // CHECK: vit.concat_tokens %{{.+}}, %[[PATCHES]]
  %0 = vit.concat_tokens %class, %x : (tensor<1x1x8xf32>, tensor<1x4x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.add_position %0, %p : tensor<1x5x8xf32>, tensor<1x5x8xf32>
  return %1 : tensor<1x5x8xf32>
}

//===----------------------------------------------------------------------===//
// Where the sum stays
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @concatenation_returned
func.func @concatenation_returned(%x: tensor<1x4x8xf32>, %class: tensor<1x1x8xf32>, %p: tensor<1x5x8xf32>)
    -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>) {
  // CHECK-NEXT: %[[TOKENS:.+]] = vit.concat_tokens
  // CHECK-NEXT: vit.add_position %[[TOKENS]]
  %0 = vit.concat_tokens %class, %x : (tensor<1x1x8xf32>, tensor<1x4x8xf32>) -> tensor<1x5x8xf32>
  %1 = vit.add_position %0, %p : tensor<1x5x8xf32>, tensor<1x5x8xf32>
  return %0, %1 : tensor<1x5x8xf32>, tensor<1x5x8xf32>
}

// CHECK-LABEL: func.func @patches_returned
func.func @patches_returned(%image: tensor<1x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %p: tensor<1x4x8xf32>)
    -> (tensor<1x4x8xf32>, tensor<1x4x8xf32>) {
  // CHECK-NEXT: %[[PATCHES:.+]] = vit.patch_embed %{{[^ ]+}}, %{{[^ ]+}} :
  // CHECK-NEXT: vit.add_position %[[PATCHES]]
  %0 = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %1 = vit.add_position %0, %p : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  return %0, %1 : tensor<1x4x8xf32>, tensor<1x4x8xf32>
}

// An embedding takes one position; a second sum stays.
// CHECK-LABEL: func.func @two_positions
// CHECK-SAME: %[[P:[^:]+]]: tensor<1x4x8xf32>, %[[Q:[^: ]+]]: tensor<1x4x8xf32>)
func.func @two_positions(%image: tensor<1x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %p: tensor<1x4x8xf32>, %q: tensor<1x4x8xf32>)
    -> tensor<1x4x8xf32> {
  // CHECK-NEXT: %[[PATCHES:.+]] = vit.patch_embed {{.*}} position %[[P]]
  // CHECK-NEXT: vit.add_position %[[PATCHES]], %[[Q]]
  %0 = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %1 = vit.add_position %0, %p : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  %2 = vit.add_position %1, %q : tensor<1x4x8xf32>, tensor<1x4x8xf32>
  return %2 : tensor<1x4x8xf32>
}
