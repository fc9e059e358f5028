// One case for each constraint of KernelOps.td, and for IR that no op may take.
// RUN: %vitc-opt %s --split-input-file --verify-diagnostics

// buffers are f32
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf64>
  return
}

// -----

// buffers are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<?xf32>
  return
}

// -----

// strides are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[?]>>
  return
}

// -----

// offsets are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

// offsets are not negative
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: -1>>
  return
}

// -----

// strides are not negative
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[-1], offset: 3>>
  return
}

// -----

// no dimension is empty
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<0xf32>
  return
}

// -----

// the layout has strides
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<8xf32, affine_map<(i) -> (i mod 4)>>
  return
}

// -----

// the last place fits
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4x4xf32, strided<[9223372036854775807, 1]>>
  return
}

// -----

// strides fit
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<1x4xf32, strided<[9223372036854775807, 1]>>
  return
}

// -----

// the number of elements fits
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4294967296x4294967296xf32, strided<[0, 0]>>
  return
}

// -----

// offsets fit
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of f32 with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: 9223372036854775807>>
  return
}

// -----

// a constant is such a buffer too
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{memref of f32 with static shape and strides and no empty dimension}}
kernel.constant @c rows of @w : memref<?x8xf32>

// -----

// spec_c1: another integer
// expected-error @+1 {{field "m" is 4 : i32, expected an i64, a finite f64, a boolean, a string or an array<i64>}}
kernel.spec @s "gemm" {m = 4 : i32} flops 0.0 bytes 0.0

// -----

// spec_c1: another float
// expected-error @+1 {{field "eps" is 5.000000e-01 : f32, expected an i64, a finite f64, a boolean, a string or an array<i64>}}
kernel.spec @s "norm" {eps = 0.5 : f32} flops 0.0 bytes 0.0

// -----

// spec_c1: a float that no JSON can say
// expected-error @+1 {{field "eps" is 0x7FF0000000000000 : f64, expected an i64, a finite f64, a boolean, a string or an array<i64>}}
kernel.spec @s "norm" {eps = 0x7FF0000000000000 : f64} flops 0.0 bytes 0.0

// -----

// spec_c1: another kind
// expected-error @+1 {{field "m" is {n = 1 : i64}, expected an i64, a finite f64, a boolean, a string or an array<i64>}}
kernel.spec @s "gemm" {m = {n = 1}} flops 0.0 bytes 0.0

// -----

// spec_c1: a list of something else
// expected-error @+1 {{field "shape" is [1, 2], expected an i64, a finite f64, a boolean, a string or an array<i64>}}
kernel.spec @s "copy" {shape = [1, 2]} flops 0.0 bytes 0.0

// -----

// spec_c2: flops
// expected-error @+1 {{flops and bytes must be finite and not negative, not -1.000000e+00}}
kernel.spec @s "gemm" {} flops -1.0 bytes 0.0

// -----

// spec_c2: bytes
// expected-error @+1 {{flops and bytes must be finite and not negative, not INF}}
kernel.spec @s "gemm" {} flops 0.0 bytes 0x7FF0000000000000

// -----

// constant_c1
// expected-error @+1 {{no vit.parameter named @nowhere}}
kernel.constant @c rows of @nowhere : memref<20x8xf32>

// -----

// constant_c2: another number of panels
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{panels of 'memref<1x8x16xf32>' do not hold 20 x 8}}
kernel.constant @c panels of @w : memref<1x8x16xf32>

// -----

// constant_c2: another depth
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{panels of 'memref<2x7x16xf32>' do not hold 20 x 8}}
kernel.constant @c panels of @w : memref<2x7x16xf32>

// -----

// constant_c2: two dimensions
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{panels of 'memref<20x8xf32>' do not hold 20 x 8}}
kernel.constant @c panels of @w : memref<20x8xf32>

// -----

// constant_c6: halves of another width
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{products of 'memref<4x7x4x16xf32>' do not hold the halves of 64 x 8}}
kernel.constant @c strassen of @w : memref<4x7x4x16xf32>

// -----

// constant_c6: another number of products
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{products of 'memref<2x8x4x16xf32>' do not hold the halves of 64 x 8}}
kernel.constant @c strassen of @w : memref<2x8x4x16xf32>

// -----

// constant_c6: another depth
vit.parameter @w : tensor<64x9xf32>
// expected-error @+1 {{products of 'memref<2x7x4x16xf32>' do not hold the halves of 64 x 9}}
kernel.constant @c strassen of @w : memref<2x7x4x16xf32>

// -----

// constant_c6: parts that do not make up the depth
vit.parameter @w : tensor<64x10xf32>
// expected-error @+1 {{products of 'memref<4x7x2x16xf32>' do not hold the halves of 64 x 10}}
kernel.constant @c strassen of @w : memref<4x7x2x16xf32>

// -----

// constant_c6: three dimensions
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{products of 'memref<2x28x16xf32>' do not hold the halves of 64 x 8}}
kernel.constant @c strassen of @w : memref<2x28x16xf32>

// -----

// constant_c7: no room for the size behind the sums
vit.parameter @w : tensor<64x192xf32>
// expected-error @+1 {{pairs of 'memref<79xf32>' do not hold the sums of 64 rows and 16 floats}}
kernel.constant @c pairs of @w : memref<79xf32>

// -----

// constant_c7: two dimensions
vit.parameter @w : tensor<64x192xf32>
// expected-error @+1 {{pairs of 'memref<1x80xf32>' do not hold the sums of 64 rows and 16 floats}}
kernel.constant @c pairs of @w : memref<1x80xf32>

// -----

// constant_c3: short rows
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{rows of 'memref<20x7xf32>' do not hold those of 'tensor<20x8xf32>'}}
kernel.constant @c rows of @w : memref<20x7xf32>

// -----

// constant_c3: another number of rows
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{rows of 'memref<21x16xf32>' do not hold those of 'tensor<20x8xf32>'}}
kernel.constant @c rows of @w : memref<21x16xf32>

// -----

// constant_c3: no rows
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{rows of 'memref<f32>' do not hold those of 'tensor<20x8xf32>'}}
kernel.constant @c rows of @w : memref<f32>

// -----

// constant_c4: gaps
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{but the weights file holds dense buffers only}}
kernel.constant @c rows of @w : memref<20x8xf32, strided<[16, 1]>>

// -----

// constant_c4: columns first
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{but the weights file holds dense buffers only}}
kernel.constant @c rows of @w : memref<20x8xf32, strided<[1, 20]>>

// -----

// constant_c4: an offset
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{but the weights file holds dense buffers only}}
kernel.constant @c rows of @w : memref<20x8xf32, strided<[8, 1], offset: 8>>

// -----

// constant_c5
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{offset 8 is not a multiple of 64 at or above 0}}
kernel.constant @c rows of @w : memref<20x8xf32> at 8

// -----

// constant_c5: before the file
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{offset -64 is not a multiple of 64 at or above 0}}
kernel.constant @c rows of @w : memref<20x8xf32> at -64

// -----

// weight_c1
func.func @f() {
  // expected-error @+1 {{no kernel.constant named @nowhere of type 'memref<20x8xf32>'}}
  %0 = kernel.weight @nowhere : memref<20x8xf32>
  return
}

// -----

// weight_c1: another type
vit.parameter @w : tensor<20x8xf32>
kernel.constant @c rows of @w : memref<20x8xf32>
func.func @f() {
  // expected-error @+1 {{no kernel.constant named @c of type 'memref<20x16xf32>'}}
  %0 = kernel.weight @c : memref<20x16xf32>
  return
}

// -----

// alloc_c1
func.func @f() {
  // expected-error @+1 {{offset 32 is not a multiple of 64 at or above 0}}
  %0 = kernel.alloc at 32 : memref<4xf32>
  return
}

// -----

// alloc_c1: before the workspace
func.func @f() {
  // expected-error @+1 {{offset -64 is not a multiple of 64 at or above 0}}
  %0 = kernel.alloc at -64 : memref<4xf32>
  return
}

// -----

// alloc_c2: an offset
func.func @f() {
  // expected-error @+1 {{does not start at its first element}}
  %0 = kernel.alloc : memref<4xf32, strided<[1], offset: 4>>
  return
}

// -----

// alloc_c2: an offset of a single element
func.func @f() {
  // expected-error @+1 {{does not start at its first element}}
  %0 = kernel.alloc : memref<f32, strided<[], offset: 4>>
  return
}

// -----

// alloc_c2: rows that overlap
func.func @f() {
  // expected-error @+1 {{overlap: stride 4 is less than 8}}
  %0 = kernel.alloc : memref<4x8xf32, strided<[4, 1]>>
  return
}

// -----

// alloc_c2: elements that overlap
func.func @f() {
  // expected-error @+1 {{overlap: stride 0 is less than 1}}
  %0 = kernel.alloc : memref<4xf32, strided<[0]>>
  return
}

// -----

// view_c1: behind the end
func.func @f(%x: memref<4x8xf32>) {
  // expected-error @+1 {{elements 17 to 33 leave the source's 0 to 32}}
  %0 = kernel.view %x : memref<4x8xf32> -> memref<2x8xf32, strided<[8, 1], offset: 17>>
  return
}

// -----

// view_c1: before the beginning
func.func @f(%x: memref<8xf32, strided<[1], offset: 4>>) {
  // expected-error @+1 {{elements 0 to 8 leave the source's 4 to 12}}
  %0 = kernel.view %x : memref<8xf32, strided<[1], offset: 4>> -> memref<8xf32>
  return
}

// -----

// call_c1
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{no kernel.spec named @nowhere}}
  kernel.call @nowhere outs(%x : memref<4xf32>)
  return
}

// -----

// call_c1: something else has the name
vit.parameter @w : tensor<20x8xf32>
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{no kernel.spec named @w}}
  kernel.call @w outs(%x : memref<4xf32>)
  return
}

// -----

// a buffer that is not one
func.func @f(%x: memref<?xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of memref of f32 with static shape and strides and no empty dimension}}
  kernel.call @s outs(%x : memref<?xf32>)
  return
}

// -----

// call_c2: there is nothing that it could run beside
kernel.spec @s "copy" {} flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s outs(%x : memref<4xf32>)
  // expected-error @+1 {{is branch 1, but branches are 0 and, after it, 1}}
  kernel.call @s outs(%x : memref<4xf32>) branch 1
  return
}

// -----

// call_c2: there are two
kernel.spec @s "copy" {} flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s outs(%x : memref<4xf32>) branch 0
  // expected-error @+1 {{is branch 2, but branches are 0 and, after it, 1}}
  kernel.call @s outs(%x : memref<4xf32>) branch 2
  return
}

// -----

// call_c3: all images are done with their own calls
kernel.spec @s "copy" {} flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s outs(%x : memref<4xf32>) images 8
  // expected-error @+1 {{follows a call for 8 images, but is for 1}}
  kernel.call @s outs(%x : memref<4xf32>)
  return
}
