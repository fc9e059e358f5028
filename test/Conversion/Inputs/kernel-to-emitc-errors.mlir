//--- workspace.mlir
// CHECK: [[# @LINE + 3]]:8: error: buffer has no place: run kernel-plan-workspace first
kernel.spec @fill #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @forward(%image: memref<4xf32>) {
  %0 = kernel.alloc : memref<4xf32>
  kernel.call @fill ins(%image : memref<4xf32>) outs(%0 : memref<4xf32>)
  return
}
//--- weights.mlir
vit.parameter @w : tensor<16xf32>
// CHECK: [[# @LINE + 1]]:1: error: constant has no place: run kernel-plan-weights first
kernel.constant @w.rows #kernel.rows<16> of @w : memref<1x16xf32>
kernel.spec @fill #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @forward(%image: memref<4xf32>) {
  %w = kernel.weight @w.rows : memref<1x16xf32>
  kernel.call @fill ins(%w : memref<1x16xf32>) outs(%image : memref<4xf32>)
  return
}
//--- nothing.mlir
// CHECK: error: no function named forward
func.func @backward(%image: memref<4xf32>) {
  return
}

//--- branch.mlir
// CHECK: error: nothing runs beside this branch
kernel.spec @fill #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @forward(%image: memref<4xf32>, %y: memref<4xf32>) {
  kernel.call @fill ins(%image : memref<4xf32>) outs(%y : memref<4xf32>) branch 0
  kernel.call @fill ins(%image : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
