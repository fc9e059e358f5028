// RUN: vitc-opt %s --split-input-file --vit-assign-precision --vit-hoist-parameters | FileCheck %s

// Rows and weights of int8; layers of one input share its rows.
module attributes {vit.precision = "int8"} {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK: vit.parameter @derived : tensor<6x8x!quant.any<i8<-127:127>:f32>> {
  // CHECK: vit.quantize %{{.*}} : tensor<6x8xf32> -> tensor<6x8x!quant.any<i8<-127:127>:f32>>
  // CHECK-LABEL: func.func @forward
  // CHECK: %[[ROWS:.*]] = vit.quantize %arg0 : tensor<1x9x8xf32> -> tensor<1x9x8x!quant.any<u8:f32>>
  // CHECK-NOT: vit.quantize
  // CHECK: vit.linear %[[ROWS]], %{{.*}} : (tensor<1x9x8x!quant.any<u8:f32>>, tensor<6x8x!quant.any<i8<-127:127>:f32>>) -> tensor<1x9x6xf32>
  // CHECK: vit.linear %[[ROWS]],
  func.func @forward(%x: tensor<1x9x8xf32>) -> (tensor<1x9x6xf32>, tensor<1x9x6xf32>) {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    %1 = vit.linear %x, %w activation gelu : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    return %0, %1 : tensor<1x9x6xf32>, tensor<1x9x6xf32>
  }
}

// -----

// Of few rows the weights alone.
module attributes {vit.precision = "int8"} {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK-LABEL: func.func @forward
  // CHECK-NOT: vit.quantize
  // CHECK: vit.linear %arg0, %{{.*}} : (tensor<1x8xf32>, tensor<6x8x!quant.any<i8<-127:127>:f32>>) -> tensor<1x6xf32>
  func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x6xf32> {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<1x6xf32>
    return %0 : tensor<1x6xf32>
  }
}

// -----

module attributes {vit.precision = "bf16"} {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK-LABEL: func.func @forward
  // CHECK: vit.linear %{{.*}}, %{{.*}} : (tensor<1x9x8xbf16>, tensor<6x8xbf16>) -> tensor<1x9x6xf32>
  func.func @forward(%x: tensor<1x9x8xf32>) -> tensor<1x9x6xf32> {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    return %0 : tensor<1x9x6xf32>
  }
}

// -----

module attributes {vit.precision = "f16"} {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK-LABEL: func.func @forward
  // CHECK: vit.linear %arg0, %{{.*}} : (tensor<1x9x8xf32>, tensor<6x8xf16>) -> tensor<1x9x6xf32>
  func.func @forward(%x: tensor<1x9x8xf32>) -> tensor<1x9x6xf32> {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    return %0 : tensor<1x9x6xf32>
  }
}

// -----

// Without a precision nothing changes.
module {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK-LABEL: func.func @forward
  // CHECK: vit.linear %arg0, %{{.*}} : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
  func.func @forward(%x: tensor<1x9x8xf32>) -> tensor<1x9x6xf32> {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    return %0 : tensor<1x9x6xf32>
  }
}

// -----

// Queries of cosine attention stay in f32.
module attributes {vit.precision = "int8"} {
  vit.parameter @w : tensor<6x8xf32>
  // CHECK-LABEL: func.func @forward
  // CHECK: vit.linear %arg0, %{{.*}} : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
  func.func @forward(%x: tensor<1x9x8xf32>) -> tensor<1x9x3xf32> {
    %w = vit.get @w : tensor<6x8xf32>
    %0 = vit.linear %x, %w : (tensor<1x9x8xf32>, tensor<6x8xf32>) -> tensor<1x9x6xf32>
    %1 = vit.slice %0 along 2 from 0 : tensor<1x9x6xf32> -> tensor<1x9x3xf32>
    %2 = vit.layer_norm %1 eps 1.0e-12 l2 : tensor<1x9x3xf32>
    return %2 : tensor<1x9x3xf32>
  }
}
