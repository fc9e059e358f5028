// RUN: %vitc-opt %s --kernel-plan-weights --split-input-file | FileCheck %s

// Constants stand in the file as the calls read them, each at a multiple of 64 bytes, whatever their order in the module.
// CHECK: module attributes {kernel.weights_bytes = 448 : i64}
// CHECK: kernel.constant @third #kernel.rows<16> of @c : memref<1x16xf32> at 384
// CHECK: kernel.constant @first #kernel.panels<16> of @a : memref<1x5x16xf32> at 0
// CHECK-NOT: @nobody
// CHECK: kernel.constant @second #kernel.rows<3> of @b : memref<1x3xf32> at 320
// CHECK-LABEL: func.func @forward
// CHECK-NOT: @nobody
module {
  vit.parameter @a : tensor<8x5xf32>
  vit.parameter @b : tensor<3xf32>
  vit.parameter @c : tensor<16xf32>
  kernel.constant @third #kernel.rows<16> of @c : memref<1x16xf32>
  kernel.constant @first #kernel.panels<16> of @a : memref<1x5x16xf32>
  kernel.constant @nobody #kernel.rows<32> of @c : memref<1x32xf32>
  kernel.constant @second #kernel.rows<3> of @b : memref<1x3xf32> at 0
  kernel.spec @s #kernel.add<rows = 1, cols = 1, lda = 1, ldb = 1, ldc = 1, period = 1> words "one" flops 0.0 bytes 0.0
  func.func @forward(%y: memref<4xf32>) {
    %0 = kernel.weight @nobody : memref<1x32xf32>
    %1 = kernel.weight @third : memref<1x16xf32>
    %2 = kernel.weight @second : memref<1x3xf32>
    %3 = kernel.weight @first : memref<1x5x16xf32>
    %view = kernel.view %2 : memref<1x3xf32> -> memref<2xf32, strided<[1], offset: 1>>
    kernel.call @s ins(%3, %view : memref<1x5x16xf32>, memref<2xf32, strided<[1], offset: 1>>) outs(%y : memref<4xf32>)
    // Read before: it stays where it is.
    kernel.call @s ins(%3, %1 : memref<1x5x16xf32>, memref<1x16xf32>) outs(%y : memref<4xf32>)
    return
  }
}

// -----

// What is read by anything but a call keeps its constant, behind the others.
// CHECK: module attributes {kernel.weights_bytes = 128 : i64}
// CHECK: kernel.constant @returned {{.*}} at 64
// CHECK: kernel.constant @called {{.*}} at 0
module {
  vit.parameter @a : tensor<16xf32>
  kernel.constant @returned #kernel.rows<16> of @a : memref<1x16xf32>
  kernel.constant @called #kernel.rows<16> of @a : memref<1x16xf32>
  kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
  func.func @forward(%y: memref<4xf32>) -> memref<16xf32> {
    %0 = kernel.weight @returned : memref<1x16xf32>
    %1 = kernel.view %0 : memref<1x16xf32> -> memref<16xf32>
    %2 = kernel.weight @called : memref<1x16xf32>
    kernel.call @s ins(%2 : memref<1x16xf32>) outs(%y : memref<4xf32>)
    return %1 : memref<16xf32>
  }
}

// -----

// A module in a module has symbols of its own.
// CHECK: module attributes {kernel.weights_bytes = 64 : i64}
// CHECK: kernel.constant @inner {{.*}} at 0
module {
  module {
    vit.parameter @a : tensor<16xf32>
    kernel.constant @inner #kernel.rows<16> of @a : memref<1x16xf32>
    kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
    func.func @forward(%y: memref<4xf32>) {
      %0 = kernel.weight @inner : memref<1x16xf32>
      kernel.call @s ins(%0 : memref<1x16xf32>) outs(%y : memref<4xf32>)
      return
    }
  }
}

// -----

// CHECK: module attributes {kernel.weights_bytes = 0 : i64}
module {
}
