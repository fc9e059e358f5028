// One case for each constraint of KernelOps.td, and for IR that no op may take.
// RUN: %vitc-opt %s --split-input-file --verify-diagnostics

// buffers are f32
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf64>
  return
}

// -----

// buffers are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<?xf32>
  return
}

// -----

// strides are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[?]>>
  return
}

// -----

// offsets are static
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: ?>>
  return
}

// -----

// offsets are not negative
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: -1>>
  return
}

// -----

// strides are not negative
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[-1], offset: 3>>
  return
}

// -----

// no dimension is empty
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<0xf32>
  return
}

// -----

// the layout has strides
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<8xf32, affine_map<(i) -> (i mod 4)>>
  return
}

// -----

// the last place fits
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4x4xf32, strided<[9223372036854775807, 1]>>
  return
}

// -----

// strides fit
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<1x4xf32, strided<[9223372036854775807, 1]>>
  return
}

// -----

// the number of elements fits
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4294967296x4294967296xf32, strided<[0, 0]>>
  return
}

// -----

// offsets fit
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{result #0 must be memref of an element type of the runtime with static shape and strides and no empty dimension}}
  %0 = kernel.view %x : memref<4xf32> -> memref<4xf32, strided<[1], offset: 9223372036854775807>>
  return
}

// -----

// a constant is such a buffer too
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{memref of an element type of the runtime with static shape and strides and no empty dimension}}
kernel.constant @c #kernel.rows<8> of @w : memref<?x8xf32>

// -----

// spec_c1: a family that there is not
// expected-error @+1 {{unknown attribute `fft` in dialect `kernel`}}
kernel.spec @s #kernel.fft<m = 4> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: a field that there is not
// expected-error @+1 {{rows: unknown field}}
kernel.spec @s #kernel.gemm<rows = 4> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: a field that is not there without another
// expected-error @+1 {{ldr: unknown field}}
kernel.spec @s #kernel.gemm<m = 1, n = 1, k = 1, panel = 1, lda = 1, ldc = 1, bias = false, residual = false, ldr = 1, activation = none> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: a field twice
// expected-error @+1 {{rows: given twice}}
kernel.spec @s #kernel.softmax<rows = 4, rows = 4> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: a field too few
// expected-error @+1 {{ldy: missing}}
kernel.spec @s #kernel.softmax<rows = 1, cols = 4, ldx = 4> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: another kind
// expected-error @+1 {{expected integer value}}
kernel.spec @s #kernel.softmax<rows = many> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: another word
// expected-error @+1 {{activation: 'swish' is not one of none, gelu, }}
kernel.spec @s #kernel.gemm<m = 1, n = 1, k = 1, panel = 1, lda = 1, ldc = 1, bias = false, residual = false, activation = swish> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: bounds
// expected-error @+1 {{panel: 2147483647 is greater than 1024}}
kernel.spec @s #kernel.gemm<m = 1, n = 1, k = 1, panel = 2147483647, lda = 1, ldc = 1, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: rules between fields
// expected-error @+1 {{k: 3 is odd, and strassen needs two halves}}
kernel.spec @s #kernel.gemm<m = 1, n = 2, k = 3, panel = 1, strassen = true, lda = 3, ldc = 2, bias = false, residual = false, activation = none> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: sizes
// expected-error @+1 {{x: the buffer has more than 2^31 elements}}
kernel.spec @s #kernel.softmax<rows = 16777216, cols = 1024, ldx = 1024, ldy = 1024> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: a number that no float32 holds
// expected-error @+1 {{factor: is not a number that float32 can hold}}
kernel.spec @s #kernel.scale<rows = 1, cols = 4, ldx = 4, ldy = 4, factor = 1.0e+39> words "" flops 0.0 bytes 0.0

// -----

// spec_c1: too few integers
// expected-error @+1 {{shape: expected 4 integers}}
kernel.spec @s #kernel.copy<shape = [1, 2], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "" flops 0.0 bytes 0.0

// -----

// spec_c2: flops
// expected-error @+1 {{flops and bytes must be finite and not negative, not -1.000000e+00}}
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops -1.0 bytes 0.0

// -----

// spec_c2: bytes
// expected-error @+1 {{flops and bytes must be finite and not negative, not INF}}
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0x7FF0000000000000

// -----

// constant_c1
// expected-error @+1 {{no vit.parameter named @nowhere}}
kernel.constant @c #kernel.rows<8> of @nowhere : memref<20x8xf32>

// -----

// constant_c2: Strassen's halves of n are whole panels (strassen_c1)
vit.parameter @w : tensor<80x8xf32>
// expected-error @+1 {{halves of 80 x 8 are not whole panels of 16 and 1 parts}}
kernel.constant @c #kernel.strassen<16> of @w : memref<2x7x4x16xf32>

// -----

// constant_c2: dot products have no float32 (dot_panels_c1)
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{dot products take bf16 and 8-bit rows, not 'f32'}}
kernel.constant @c #kernel.dot_panels<16> of @w : memref<4x4x16x2xf32>

// -----
// constant_c2: bf16 has no scales (column_scales_c1)
vit.parameter @w : tensor<64x8xbf16>
// expected-error @+1 {{'bf16' has no scales}}
kernel.constant @c #kernel.column_scales<16> of @w : memref<1x64xf32>

// -----
// constant_c2: Strassen's halves of k are whole parts (strassen_c1)
vit.parameter @w : tensor<64x10xf32>
// expected-error @+1 {{halves of 64 x 10 are not whole panels of 16 and 2 parts}}
kernel.constant @c #kernel.strassen<16, parts = 2> of @w : memref<4x7x2x16xf32>

// -----

// constant_c2: short rows (rows_c1)
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{rows of 7 floats do not hold those of 'tensor<20x8xf32>'}}
kernel.constant @c #kernel.rows<7> of @w : memref<20x7xf32>

// -----

// constant_c3: another number of panels
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{is 'memref<1x8x16xf32>', but #kernel.panels<16> of 'tensor<20x8xf32>' is 'memref<2x8x16xf32>'}}
kernel.constant @c #kernel.panels<16> of @w : memref<1x8x16xf32>

// -----

// constant_c3: panels of another width
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{is 'memref<2x8x16xf32>', but #kernel.panels<8> of 'tensor<20x8xf32>' is 'memref<3x8x8xf32>'}}
kernel.constant @c #kernel.panels<8> of @w : memref<2x8x16xf32>

// -----

// constant_c3: another number of products
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{is 'memref<2x8x4x16xf32>', but #kernel.strassen<16> of 'tensor<64x8xf32>' is 'memref<2x7x4x16xf32>'}}
kernel.constant @c #kernel.strassen<16> of @w : memref<2x8x4x16xf32>

// -----

// constant_c3: parts in place of one
vit.parameter @w : tensor<64x8xf32>
// expected-error @+1 {{but #kernel.strassen<16, parts = 2> of 'tensor<64x8xf32>' is 'memref<4x7x2x16xf32>'}}
kernel.constant @c #kernel.strassen<16, parts = 2> of @w : memref<2x7x4x16xf32>

// -----

// constant_c3: no room for the size behind the sums
vit.parameter @w : tensor<64x192xf32>
// expected-error @+1 {{is 'memref<79xf32>', but #kernel.winograd_sums<32> of 'tensor<64x192xf32>' is 'memref<80xf32>'}}
kernel.constant @c #kernel.winograd_sums<32> of @w : memref<79xf32>

// -----

// constant_c3: another number of rows
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{is 'memref<21x16xf32>', but #kernel.rows<16> of 'tensor<20x8xf32>' is 'memref<20x16xf32>'}}
kernel.constant @c #kernel.rows<16> of @w : memref<21x16xf32>

// -----

// constant_c3: gaps
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{but #kernel.rows<8> of 'tensor<20x8xf32>' is 'memref<20x8xf32>'}}
kernel.constant @c #kernel.rows<8> of @w : memref<20x8xf32, strided<[16, 1]>>

// -----

// constant_c4
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{offset 8 is not a multiple of 64 at or above 0}}
kernel.constant @c #kernel.rows<8> of @w : memref<20x8xf32> at 8

// -----

// constant_c4: before the file
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{offset -64 is not a multiple of 64 at or above 0}}
kernel.constant @c #kernel.rows<8> of @w : memref<20x8xf32> at -64

// -----

// a layout is one of the dialect's
vit.parameter @w : tensor<20x8xf32>
// expected-error @+1 {{invalid kind of attribute specified}}
kernel.constant @c "rows" of @w : memref<20x8xf32>

// -----

// expected-error @+1 {{width 0 is not between 1 and 1048576}}
module attributes {layout = #kernel.panels<0>} {}

// -----

// expected-error @+1 {{stride -1 is not between 1 and 1048576}}
module attributes {layout = #kernel.rows<-1>} {}

// -----

// expected-error @+1 {{parts 0 is not between 1 and 1048576}}
module attributes {layout = #kernel.strassen<16, parts = 0>} {}

// -----

// expected-error @+1 {{width 1048577 is not between 1 and 1048576}}
module attributes {layout = #kernel.winograd_sums<1048577>} {}

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
kernel.constant @c #kernel.rows<8> of @w : memref<20x8xf32>
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
  // expected-error @+1 {{operand #0 must be variadic of memref of an element type of the runtime with static shape and strides and no empty dimension}}
  kernel.call @s outs(%x : memref<?xf32>)
  return
}

// -----

// call_c2: there is nothing that it could run beside
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  // expected-error @+1 {{is branch 1, but branches are 0 and, after it, 1}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) branch 1
  return
}

// -----

// call_c2: there are two
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) branch 0
  // expected-error @+1 {{is branch 2, but branches are 0 and, after it, 1}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) branch 2
  return
}

// -----

// call_c3: all images are done with their own calls
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) images 8
  // expected-error @+1 {{follows a call for 8 images, but is for 1 before all others}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

// call_c4: a buffer too few
kernel.spec @s #kernel.add<rows = 1, cols = 1, lda = 1, ldb = 1, ldc = 1, period = 1> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{has 1 inputs and 1 outputs, but add takes 2 and 1}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}

// -----

// call_c4: a buffer too small, in the place of another
kernel.spec @s #kernel.add<rows = 4, cols = 4, lda = 4, ldb = 4, ldc = 4, period = 1> words "" flops 0.0 bytes 0.0
func.func @f(%a: memref<4x4xf32>, %b: memref<1x4xf32>) {
  // expected-error @+1 {{a is 'memref<1x4xf32>', which holds 4 elements, but the kernel's has 16}}
  kernel.call @s ins(%b, %a : memref<1x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  return
}

// -----

// call_c3: the images of a group are as many as before, also after a call of each one's own
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) images 8
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) images 1
  // expected-error @+1 {{follows a call for 8 images, but is for 4}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) images 4
  return
}

// -----

// call_c5: a level twice
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{has level "avx2" twice}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) levels ["avx2", "avx2"]
  return
}

// -----

// call_c5: no level
kernel.spec @s #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @f(%x: memref<4xf32>) {
  // expected-error @+1 {{is for no level}}
  kernel.call @s ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) levels []
  return
}

// -----

// target_c1
// expected-error @+1 {{panel 0 is not between 1 and 1048576}}
module attributes {kernel.target = #kernel.target<panel = 0, levels = [<"avx2", plain>]>} {}

// -----

// target_c2: a level twice
// expected-error @+1 {{level "avx2" is there twice}}
module attributes {kernel.target = #kernel.target<panel = 16, levels = [<"avx2", plain>, <"avx2", strassen>]>} {}
