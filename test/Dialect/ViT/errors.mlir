// One case for each constraint of the operations, and for IR that no op may take.
// RUN: %vitc-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics

// tensors are f32
func.func @f(%x: tensor<2x8xf16>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<2x8xf16>
  return
}

// -----

// tensors are static
func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<?x8xf32>
  return
}

// -----

// tensors are ranked
func.func @f(%x: tensor<*xf32>) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = vit.softmax %x : tensor<*xf32>
  return
}

// -----

// tensors have a dimension
func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<f32>
  return
}

// -----

// no dimension is empty
func.func @f(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<2x0xf32>
  return
}

// -----

// no layout
func.func @f(%x: tensor<2x8xf32, "rows">) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<2x8xf32, "rows">
  return
}

// -----

// the number of elements fits
func.func @f(%x: tensor<1048576x1048576xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<1048576x1048576xf32>
  return
}

// -----

// the number of elements fits, also where it wraps around
func.func @f(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.softmax %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

// a parameter is such a tensor too
// expected-error @+1 {{tensor of f32, f16, bf16 or rows of i8 with a static shape and no empty dimension}}
vit.parameter @p : tensor<0xf32>

// -----

// a vector has one dimension
func.func @f(%x: tensor<1x8xf32>) {
  // expected-error @+1 {{operand #1 must be 1-D tensor of f32 with a static shape and no empty dimension}}
  %0 = vit.layer_norm %x gain %x bias %x eps 0.0 : tensor<1x8xf32>, tensor<1x8xf32>, tensor<1x8xf32>
  return
}

// -----

// a matrix has two
func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{operand #1 must be 2-D tensor}}
  %0 = vit.linear %x, %x : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// a sequence has three
func.func @f(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{operand #0 must be [image, token, channel] tensor}}
  %0 = vit.pool %x token 0 : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// an image has four
func.func @f(%x: tensor<1x2x8xf32>, %w: tensor<8x3x2x2xf32>) {
  // expected-error @+1 {{operand #0 must be [image, channel, row, column] tensor}}
  %0 = vit.patch_embed %x, %w : (tensor<1x2x8xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// an empty patch would divide by zero
func.func @f(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x0x2xf32>) {
  // expected-error @+1 {{operand #1 must be [output channel, channel, row, column] tensor of f32, f16, bf16 or rows of i8 with a static shape and no empty dimension}}
  %0 = vit.patch_embed %x, %w : (tensor<1x3x8x8xf32>, tensor<8x3x0x2xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// parameter_c1: another type
vit.parameter @a : tensor<4xf32>
// expected-error @+1 {{body must end in a vit.yield of 'tensor<8xf32>'}}
vit.parameter @b : tensor<8xf32> {
  %0 = vit.get @a : tensor<4xf32>
  vit.yield %0 : tensor<4xf32>
}

// -----

// parameter_c1: another end
// expected-error @+1 {{body must end in a vit.yield of 'tensor<8xf32>'}}
vit.parameter @b : tensor<8xf32> {
  "other.end"() : () -> ()
}

// -----

// parameter_c1: nothing in the body
// expected-error @+1 {{empty block: expect at least a terminator}}
vit.parameter @b : tensor<8xf32> {
^bb0:
}

// -----

// parameter_c1: no end
vit.parameter @a : tensor<8xf32>
vit.parameter @b : tensor<8xf32> {
  // expected-error @+1 {{block with no terminator}}
  %0 = vit.get @a : tensor<8xf32>
}

// -----

// a body has one block
// expected-error @+1 {{region #0 ('body') failed to verify constraint: region with at most 1 blocks}}
vit.parameter @b : tensor<8xf32> {
^bb0:
  %0 = vit.fill 0.0 : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
^bb1:
  %1 = vit.fill 0.0 : tensor<8xf32>
  vit.yield %1 : tensor<8xf32>
}

// -----

// a body takes nothing
// expected-error @+1 {{region should have no arguments}}
vit.parameter @b : tensor<8xf32> {
^bb0(%x: tensor<8xf32>):
  vit.yield %x : tensor<8xf32>
}

// -----

// parameter_c2: directly
// expected-error @+1 {{is computed from itself}}
vit.parameter @a : tensor<8xf32> {
  %0 = vit.get @a : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
}

// -----

// parameter_c2: through another
// expected-error @+1 {{is computed from itself}}
vit.parameter @a : tensor<8xf32> {
  %0 = vit.get @b : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
}
vit.parameter @b : tensor<8xf32> {
  %0 = vit.get @a : tensor<8xf32>
  vit.yield %0 : tensor<8xf32>
}

// -----

// a yield stands in a parameter
func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects parent op 'vit.parameter'}}
  vit.yield %x : tensor<8xf32>
}

// -----

// get_c1
func.func @f() {
  // expected-error @+1 {{no vit.parameter named @nowhere}}
  %0 = vit.get @nowhere : tensor<8xf32>
  return
}

// -----

// get_c1: something else has the name
func.func private @other()
func.func @f() {
  // expected-error @+1 {{no vit.parameter named @other}}
  %0 = vit.get @other : tensor<8xf32>
  return
}

// -----

// get_c2
vit.parameter @p : tensor<4xf32>
func.func @f() {
  // expected-error @+1 {{result is 'tensor<8xf32>', but @p is 'tensor<4xf32>'}}
  %0 = vit.get @p : tensor<8xf32>
  return
}

// -----

// patch_embed_c1
func.func @f(%image: tensor<1x4x4x4xf32>, %w: tensor<8x3x2x2xf32>) {
  // expected-error @+1 {{image has 4 channels, weight takes 3}}
  %0 = vit.patch_embed %image, %w : (tensor<1x4x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// patch_embed_c2
func.func @f(%image: tensor<2x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %b: tensor<8xf32>, %p: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [2, 5, 8], expected [2, 4, 8]}}
  %0 = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x5x8xf32>
  return
}

// -----

// patch_embed_c2: a patch larger than the image
func.func @f(%image: tensor<1x3x4x4xf32>, %w: tensor<8x3x5x5xf32>) {
  // expected-error @+1 {{result has shape [1, 1, 8], expected [1, 0, 8]}}
  %0 = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x5x5xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

// patch_embed_c3
func.func @f(%image: tensor<2x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %b: tensor<7xf32>) {
  // expected-error @+1 {{bias has shape [7], expected [8]}}
  %0 = vit.patch_embed %image, %w bias %b : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>, tensor<7xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// patch_embed_c4
func.func @f(%image: tensor<2x3x4x4xf32>, %w: tensor<8x3x2x2xf32>, %p: tensor<2x4x8xf32>) {
  // expected-error @+1 {{position has shape [2, 4, 8], expected [1, 4, 8]}}
  %0 = vit.patch_embed %image, %w position %p : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// concat_tokens_c1
func.func @f(%c: tensor<2x1x8xf32>, %x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{tokens has shape [2, 1, 8], expected [1, 1, 8]}}
  %0 = vit.concat_tokens %c, %x : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x5x8xf32>
  return
}

// -----

// concat_tokens_c2
func.func @f(%c: tensor<1x1x8xf32>, %x: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result has shape [2, 4, 8], expected [2, 5, 8]}}
  %0 = vit.concat_tokens %c, %x : (tensor<1x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// resize_position_c1: two numbers
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{from [4] to [3, 3] must each be rows and columns, one or more of each}}
  %0 = vit.resize_position %t from [4] to [3, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x10x8xf32>
  return
}

// -----

// resize_position_c1: none at all
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{from [] to [3, 3] must each be rows and columns, one or more of each}}
  %0 = vit.resize_position %t from [] to [3, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x10x8xf32>
  return
}

// -----

// resize_position_c1: to nothing
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{from [2, 2] to [0, 3] must each be rows and columns, one or more of each}}
  %0 = vit.resize_position %t from [2, 2] to [0, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// resize_position_c1: less than nothing
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{from [-2, -2] to [3, 3] must each be rows and columns, one or more of each}}
  %0 = vit.resize_position %t from [-2, -2] to [3, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x10x8xf32>
  return
}

// -----

// resize_position_c1: products that wrap around
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{from [2, 2] to [4294967296, 4294967296] must each be rows and columns, one or more of each}}
  %0 = vit.resize_position %t from [2, 2] to [4294967296, 4294967296] prefix 1 : tensor<1x5x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// resize_position_c1: a negative prefix
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{prefix -1 leaves no patches of 5 tokens}}
  %0 = vit.resize_position %t from [2, 3] to [3, 3] prefix -1 : tensor<1x5x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

// resize_position_c1: nothing but prefix
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{prefix 9223372036854775807 leaves no patches of 5 tokens}}
  %0 = vit.resize_position %t from [2, 3] to [3, 3] prefix 9223372036854775807 : tensor<1x5x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

// resize_position_c2
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{table has shape [1, 5, 8], expected [1, 7, 8]}}
  %0 = vit.resize_position %t from [2, 3] to [3, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x10x8xf32>
  return
}

// -----

// resize_position_c3
func.func @f(%t: tensor<1x5x8xf32>) {
  // expected-error @+1 {{result has shape [1, 9, 8], expected [1, 10, 8]}}
  %0 = vit.resize_position %t from [2, 2] to [3, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x9x8xf32>
  return
}

// -----

// add_position_c1
func.func @f(%x: tensor<2x4x8xf32>, %p: tensor<1x5x8xf32>) {
  // expected-error @+1 {{position has shape [1, 5, 8], expected [1, 4, 8]}}
  %0 = vit.add_position %x, %p : tensor<2x4x8xf32>, tensor<1x5x8xf32>
  return
}

// -----

// layer_norm_c1: gain
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{gain has shape [7], expected [8]}}
  %0 = vit.layer_norm %x gain %h bias %g eps 0.0 : tensor<1x4x8xf32>, tensor<7xf32>, tensor<8xf32>
  return
}

// -----

// layer_norm_c1: bias
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{bias has shape [7], expected [8]}}
  %0 = vit.layer_norm %x gain %g bias %h eps 0.0 : tensor<1x4x8xf32>, tensor<8xf32>, tensor<7xf32>
  return
}

// -----

// layer_norm_c2
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{eps -1.000000e+00 must be finite and not negative}}
  %0 = vit.layer_norm %x eps -1.0 : tensor<1x4x8xf32>
  return
}

// -----

// layer_norm_c2: not a number
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{eps nan must be finite and not negative}}
  %0 = vit.layer_norm %x eps 0x7FF8000000000000 : tensor<1x4x8xf32>
  return
}

// -----

// layer_norm_c3
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{a bias needs a gain}}
  %0 = "vit.layer_norm"(%x, %g) <{eps = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<1x4x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// linear_c1
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x7xf32>) {
  // expected-error @+1 {{input has 8 channels, weight takes 7}}
  %0 = vit.linear %x, %w : (tensor<1x4x8xf32>, tensor<6x7xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

// linear_c2
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x8xf32>) {
  // expected-error @+1 {{result has shape [4, 6], expected [1, 4, 6]}}
  %0 = vit.linear %x, %w : (tensor<1x4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return
}

// -----

// linear_c3
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{bias has shape [8], expected [6]}}
  %0 = vit.linear %x, %w bias %b : (tensor<1x4x8xf32>, tensor<6x8xf32>, tensor<8xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

// linear_c4
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x8xf32>) {
  // expected-error @+1 {{residual has shape [1, 4, 8], expected [1, 4, 6]}}
  %0 = vit.linear %x, %w residual %x : (tensor<1x4x8xf32>, tensor<6x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

// linear_c5
func.func @f(%x: tensor<1x4x8xbf16>, %w: tensor<6x8xf32>) {
  // expected-error @+1 {{no product takes an input of 'bf16' and weights of 'f32'}}
  %0 = vit.linear %x, %w : (tensor<1x4x8xbf16>, tensor<6x8xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

// rows of activations are no weights
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x8x!quant.any<u8:f32>>) {
  // expected-error @+1 {{must be 2-D tensor of f32, f16, bf16 or rows of i8}}
  %0 = vit.linear %x, %w : (tensor<1x4x8xf32>, tensor<6x8x!quant.any<u8:f32>>) -> tensor<1x4x6xf32>
  return
}

// -----

// quantize_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 6], expected [1, 4, 8]}}
  %0 = vit.quantize %x : tensor<1x4x8xf32> -> tensor<1x4x6xbf16>
  return
}

// -----

// an element type that no format is
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{must be tensor of f16, bf16 or 8-bit rows}}
  %0 = vit.quantize %x : tensor<1x4x8xf32> -> tensor<1x4x8xi8>
  return
}

// -----

// attention_c1: keys
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x6xf32>, %v: tensor<1x4x6xf32>) {
  // expected-error @+1 {{key has shape [1, 4, 6], expected [1, 4, 8]}}
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c1: values
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x5x8xf32>) {
  // expected-error @+1 {{value has shape [1, 5, 8], expected [1, 4, 8]}}
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x5x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c1: the result
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 5, 8], expected [1, 4, 8]}}
  %0 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x5x8xf32>
  return
}

// -----

// attention_c2
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{8 channels cannot be split into 3 heads}}
  %0 = vit.attention %q, %k, %v heads 3 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c2: none
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{8 channels cannot be split into 0 heads}}
  %0 = vit.attention %q, %k, %v heads 0 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c2: less than none
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{8 channels cannot be split into -2 heads}}
  %0 = vit.attention %q, %k, %v heads -2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c3
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{probabilities has shape [1, 4, 4, 2], expected [1, 2, 4, 4]}}
  %0, %1 = vit.attention %q, %k, %v heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x4x2xf32>)
  return
}

// -----

// attention_c4
func.func @f(%q: tensor<1x4x8xf32>, %k: tensor<1x4x8xf32>, %v: tensor<1x4x8xf32>) {
  // expected-error @+1 {{scale INF must be finite}}
  %0 = vit.attention %q, %k, %v heads 2 scale 0x7FF0000000000000 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// single_query_attention_c1
func.func @f(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %k: tensor<6x8xf32>, %t: tensor<8x6xf32>, %r: tensor<1x6xf32>) {
  // expected-error @+1 {{query has shape [1, 6], expected [2, 6]}}
  %0 = vit.single_query_attention %x query %r key %k value %k heads 2 scale 1.0
      : (tensor<2x5x8xf32>, tensor<1x6xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  return
}

// -----

// single_query_attention_c2: key
func.func @f(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %k: tensor<6x8xf32>, %t: tensor<8x6xf32>, %r: tensor<2x8xf32>) {
  // expected-error @+1 {{key has shape [8, 6], expected [8, 8]}}
  %0 = vit.single_query_attention %x query %r key %t value %k heads 2 scale 1.0
      : (tensor<2x5x8xf32>, tensor<2x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// single_query_attention_c2: value
func.func @f(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %k: tensor<6x8xf32>, %t: tensor<8x6xf32>) {
  // expected-error @+1 {{value has shape [8, 6], expected [6, 8]}}
  %0 = vit.single_query_attention %x query %q key %k value %t heads 2 scale 1.0
      : (tensor<2x5x8xf32>, tensor<2x6xf32>, tensor<6x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// single_query_attention_c3
func.func @f(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %k: tensor<6x8xf32>, %t: tensor<8x6xf32>) {
  // expected-error @+1 {{6 channels cannot be split into 4 heads}}
  %0 = vit.single_query_attention %x query %q key %k value %k heads 4 scale 1.0
      : (tensor<2x5x8xf32>, tensor<2x6xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  return
}

// -----

// single_query_attention_c5
func.func @f(%x: tensor<1x4x8xf32>, %q: tensor<1x6xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xbf16>) {
  // expected-error @+1 {{key is 'tensor<6x8xf32>', value 'tensor<6x8xbf16>'}}
  %0 = vit.single_query_attention %x query %q key %k value %v heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x6xf32>, tensor<6x8xf32>, tensor<6x8xbf16>) -> tensor<1x6xf32>
  return
}

// -----

// single_query_attention_c4
func.func @f(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %k: tensor<6x8xf32>, %t: tensor<8x6xf32>) {
  // expected-error @+1 {{result has shape [2, 8], expected [2, 6]}}
  %0 = vit.single_query_attention %x query %q key %k value %k heads 2 scale 1.0
      : (tensor<2x5x8xf32>, tensor<2x6xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// mlp_c1: up
func.func @f(%x: tensor<1x4x8xf32>, %u: tensor<16x7xf32>, %d: tensor<8x16xf32>) {
  // expected-error @+1 {{up has shape [16, 7], expected [16, 8]}}
  %0 = vit.mlp %x up %u down %d gelu : (tensor<1x4x8xf32>, tensor<16x7xf32>, tensor<8x16xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// mlp_c1: down
func.func @f(%x: tensor<1x4x8xf32>, %u: tensor<16x8xf32>, %d: tensor<16x8xf32>) {
  // expected-error @+1 {{down has shape [16, 8], expected [8, 16]}}
  %0 = vit.mlp %x up %u down %d gelu : (tensor<1x4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// mlp_c2: up
func.func @f(%x: tensor<1x4x8xf32>, %u: tensor<16x8xf32>, %d: tensor<8x16xf32>, %ub: tensor<8xf32>) {
  // expected-error @+1 {{up bias has shape [8], expected [16]}}
  %0 = vit.mlp %x up %u, %ub down %d gelu : (tensor<1x4x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8x16xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// mlp_c2: down
func.func @f(%x: tensor<1x4x8xf32>, %u: tensor<16x8xf32>, %d: tensor<8x16xf32>, %db: tensor<16xf32>) {
  // expected-error @+1 {{down bias has shape [16], expected [8]}}
  %0 = vit.mlp %x up %u down %d, %db gelu : (tensor<1x4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// pool_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{first token 4 is not one of 4}}
  %0 = vit.pool %x token 4 : tensor<1x4x8xf32> -> tensor<1x8xf32>
  return
}

// -----

// pool_c1: before the first
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{first token -1 is not one of 4}}
  %0 = vit.pool %x mean -1 : tensor<1x4x8xf32> -> tensor<1x8xf32>
  return
}

// -----

// pool_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [4, 8], expected [1, 8]}}
  %0 = vit.pool %x token 0 : tensor<1x4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// head_c1
func.func @f(%x: tensor<1x8xf32>, %w: tensor<3x7xf32>) {
  // expected-error @+1 {{weight has shape [3, 7], expected [3, 8]}}
  %0 = vit.head %x, %w none : (tensor<1x8xf32>, tensor<3x7xf32>) -> tensor<1x3xf32>
  return
}

// -----

// head_c2
func.func @f(%x: tensor<1x8xf32>, %w: tensor<3x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{bias has shape [8], expected [3]}}
  %0 = vit.head %x, %w bias %b none : (tensor<1x8xf32>, tensor<3x8xf32>, tensor<8xf32>) -> tensor<1x3xf32>
  return
}

// -----

// head_c3
func.func @f(%x: tensor<1x8xf32>, %w: tensor<3x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4], expected [1, 3]}}
  %0 = vit.head %x, %w none : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<1x4xf32>
  return
}

// -----

// stack_c1: no input
func.func @f() {
  // expected-error @+1 {{needs one or more inputs of one type}}
  %0 = vit.stack : () -> tensor<1x1xf32>
  return
}

// -----

// stack_c1: two types
func.func @f(%x: tensor<1x8xf32>, %y: tensor<1x7xf32>) {
  // expected-error @+1 {{needs one or more inputs of one type}}
  %0 = vit.stack %x, %y : (tensor<1x8xf32>, tensor<1x7xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

// stack_c2
func.func @f(%x: tensor<1x8xf32>) {
  // expected-error @+1 {{result has shape [2, 1, 8], expected [1, 2, 8]}}
  %0 = vit.stack %x, %x : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<2x1x8xf32>
  return
}

// -----

// concat_c1: no input
func.func @f() {
  // expected-error @+1 {{needs one or more inputs}}
  %0 = vit.concat along 0 : () -> tensor<8xf32>
  return
}

// -----

// concat_c1
func.func @f(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{dimension 2 is not one of the inputs' 2}}
  %0 = vit.concat %a, %b along 2 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// concat_c1: before the first
func.func @f(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{dimension -1 is not one of the inputs' 2}}
  %0 = vit.concat %a, %b along -1 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  return
}

// -----

// concat_c2
func.func @f(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{input has shape [3, 8], expected [2, 8]}}
  %0 = vit.concat %a, %b along 1 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// concat_c2: other ranks
func.func @f(%a: tensor<2x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{inputs have 2 and 1 dimensions}}
  %0 = vit.concat %a, %b along 0 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  return
}

// -----

// concat_c3
func.func @f(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{result has shape [6, 8], expected [5, 8]}}
  %0 = vit.concat %a, %b along 0 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

// slice_c1
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension 2 is not one of the input's 2}}
  %0 = vit.slice %a along 2 from 0 : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// slice_c1: before the first
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{dimension -1 is not one of the input's 2}}
  %0 = vit.slice %a along -1 from 0 : tensor<2x8xf32> -> tensor<2x8xf32>
  return
}

// -----

// slice_c1: another rank
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{result has 1 dimensions, the input 2}}
  %0 = vit.slice %a along 1 from 0 : tensor<2x8xf32> -> tensor<8xf32>
  return
}

// -----

// slice_c2
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{4 elements from 5 on exceed the input's 8}}
  %0 = vit.slice %a along 1 from 5 : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

// slice_c2: before the first
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{4 elements from -1 on exceed the input's 8}}
  %0 = vit.slice %a along 1 from -1 : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

// slice_c2: an end that wraps around
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{4 elements from 9223372036854775807 on exceed the input's 8}}
  %0 = vit.slice %a along 1 from 9223372036854775807 : tensor<2x8xf32> -> tensor<2x4xf32>
  return
}

// -----

// slice_c3
func.func @f(%a: tensor<2x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4], expected [2, 4]}}
  %0 = vit.slice %a along 1 from 0 : tensor<2x8xf32> -> tensor<1x4xf32>
  return
}

// -----

// scale_columns_c1
func.func @f(%m: tensor<2x8xf32>, %f: tensor<2xf32>) {
  // expected-error @+1 {{factors has shape [2], expected [8]}}
  %0 = vit.scale_columns %m by %f : tensor<2x8xf32>, tensor<2xf32>
  return
}

// -----

// resize_position_c4
func.func @f(%t: tensor<1x4x8xf32>) {
  // expected-error @+1 {{factors must be two positive numbers}}
  %0 = vit.resize_position %t from [2, 2] to [3, 3] prefix 0 factors [1.5, 0.0] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  return
}

// -----

// layer_norm_c4
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{8 channels cannot be split into 3 groups}}
  %0 = vit.layer_norm %x eps 0.0 groups 3 : tensor<1x4x8xf32>
  return
}

// -----

// attention_c5
func.func @f(%x: tensor<1x4x8xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{bias has shape [2, 4, 5], expected [2, 4, 4]}}
  %0 = vit.attention %x, %x, %x bias %b heads 2 scale 1.0 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<2x4x5xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// attention_c6: their number
func.func @f(%x: tensor<3x4x8xf32>, %m: tensor<2x4x4xf32>) {
  // expected-error @+1 {{3 images cannot share 2 masks}}
  %0 = vit.attention %x, %x, %x mask %m heads 2 scale 1.0 : (tensor<3x4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>, tensor<2x4x4xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

// attention_c6: their shape
func.func @f(%x: tensor<2x4x8xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error @+1 {{mask has shape [2, 4, 5], expected [2, 4, 4]}}
  %0 = vit.attention %x, %x, %x mask %m heads 2 scale 1.0 : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x5xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// attention_c7
func.func @f(%q: tensor<2x4x8xf32>, %k: tensor<3x4x8xf32>) {
  // expected-error @+1 {{there are queries for 2 images and keys for 3}}
  %0 = vit.attention %q, %k, %k heads 2 scale 1.0 : (tensor<2x4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

// rotate_c1
func.func @f(%x: tensor<1x4x6xf32>, %t: tensor<1x4x3xf32>) {
  // expected-error @+1 {{6 channels cannot be split into 2 heads of an even number each}}
  %0 = vit.rotate %x cos %t sin %t heads 2 halves : (tensor<1x4x6xf32>, tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

// rotate_c2: their number
func.func @f(%x: tensor<1x4x8xf32>, %t: tensor<3x4x4xf32>) {
  // expected-error @+1 {{there are 3 tables for 2 heads}}
  %0 = vit.rotate %x cos %t sin %t heads 2 halves : (tensor<1x4x8xf32>, tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// rotate_c2: their shape
func.func @f(%x: tensor<1x4x8xf32>, %t: tensor<1x4x4xf32>, %s: tensor<1x4x2xf32>) {
  // expected-error @+1 {{sin has shape [1, 4, 2], expected [1, 4, 4]}}
  %0 = vit.rotate %x cos %t sin %s heads 2 interleaved : (tensor<1x4x8xf32>, tensor<1x4x4xf32>, tensor<1x4x2xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// affine_c1
func.func @f(%x: tensor<1x4x8xf32>, %s: tensor<8xf32>, %t: tensor<7xf32>) {
  // expected-error @+1 {{shift has shape [7], expected [8]}}
  %0 = vit.affine %x scale %s shift %t : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<7xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// gate_c1
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<1x7xf32>) {
  // expected-error @+1 {{gate has shape [1, 7], expected [1, 8]}}
  %0 = vit.gate %x by %g sigmoid : tensor<1x4x8xf32>, tensor<1x7xf32>
  return
}

// -----

// window_partition_c1: the window
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{grid [2, 2] and window [0, 2] must each be rows and columns, one or more of each}}
  %0 = vit.window_partition %x grid [2, 2] window [0, 2] shift [0, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_partition_c1: the shift
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{shift [2, 0] must be less than the padded map and not negative}}
  %0 = vit.window_partition %x grid [2, 2] window [2, 2] shift [2, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_partition_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 6, 8]}}
  %0 = vit.window_partition %x grid [2, 3] window [2, 2] shift [0, 0] : tensor<1x4x8xf32> -> tensor<2x4x8xf32>
  return
}

// -----

// window_partition_c3
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 8], expected [4, 1, 8]}}
  %0 = vit.window_partition %x grid [2, 2] window [1, 1] shift [0, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_merge_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{shift [0, -1] must be less than the padded map and not negative}}
  %0 = vit.window_merge %x grid [2, 2] window [2, 2] shift [0, -1] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_merge_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 8], expected [1, 2, 8]}}
  %0 = vit.window_merge %x grid [2, 1] window [2, 2] shift [0, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_merge_c3
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{windows has shape [1, 4, 8], expected [4, 1, 8]}}
  %0 = vit.window_merge %x grid [2, 2] window [1, 1] shift [0, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// window_mask_c1
func.func @f() {
  // expected-error @+1 {{grid [2] and window [2, 2] must each be rows and columns, one or more of each}}
  %0 = vit.window_mask grid [2] window [2, 2] shift [0, 0] value -100.0 : tensor<1x4x4xf32>
  return
}

// -----

// window_mask_c2
func.func @f() {
  // expected-error @+1 {{result has shape [1, 4, 4], expected [2, 4, 4]}}
  %0 = vit.window_mask grid [2, 3] window [2, 2] shift [1, 1] value -100.0 : tensor<1x4x4xf32>
  return
}

// -----

// relative_bias_c1
func.func @f(%t: tensor<9x2xf32>) {
  // expected-error @+1 {{grid [2, 2] must be rows and columns, one or more of each, and prefix 2 0 or 1}}
  %0 = vit.relative_bias %t grid [2, 2] prefix 2 : tensor<9x2xf32> -> tensor<2x4x4xf32>
  return
}

// -----

// relative_bias_c2
func.func @f(%t: tensor<9x2xf32>) {
  // expected-error @+1 {{table has shape [9, 2], expected [12, 2]}}
  %0 = vit.relative_bias %t grid [2, 2] prefix 1 : tensor<9x2xf32> -> tensor<2x5x5xf32>
  return
}

// -----

// relative_bias_c3
func.func @f(%t: tensor<9x2xf32>) {
  // expected-error @+1 {{result has shape [2, 5, 5], expected [2, 4, 4]}}
  %0 = vit.relative_bias %t grid [2, 2] prefix 0 : tensor<9x2xf32> -> tensor<2x5x5xf32>
  return
}

// -----

// space_to_depth_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{grid [2, 2] and block [2] must each be rows and columns, one or more of each}}
  %0 = vit.space_to_depth %x grid [2, 2] block [2] rows : tensor<1x4x8xf32> -> tensor<1x1x32xf32>
  return
}

// -----

// space_to_depth_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 9, 8]}}
  %0 = vit.space_to_depth %x grid [3, 3] block [2, 2] rows : tensor<1x4x8xf32> -> tensor<1x4x32xf32>
  return
}

// -----

// space_to_depth_c3
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 1, 16], expected [1, 1, 32]}}
  %0 = vit.space_to_depth %x grid [2, 2] block [2, 2] columns : tensor<1x4x8xf32> -> tensor<1x1x16xf32>
  return
}

// -----

// conv_c1: the stride
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>) {
  // expected-error @+1 {{grid [2, 2] and stride [1, 0] must each be rows and columns, one or more of each}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 0] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c1: the padding
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>) {
  // expected-error @+1 {{padding [0, 0, 0] must be four numbers, none negative}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c2: neither map nor image
func.func @f(%x: tensor<4x8xf32>, %w: tensor<5x1x1x8xf32>) {
  // expected-error @+1 {{input is neither a map nor an image}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<4x8xf32>, tensor<5x1x1x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c2: a map
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 6, 8]}}
  %0 = vit.conv %x, %w grid [2, 3] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c2: an image
func.func @f(%x: tensor<1x3x4x4xf32>, %w: tensor<5x3x2x2xf32>) {
  // expected-error @+1 {{image has shape [1, 3, 4, 4], expected [1, 3, 2, 2]}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x3x4x4xf32>, tensor<5x3x2x2xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c3
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x7xf32>) {
  // expected-error @+1 {{input has 8 channels, weight takes 7}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x7xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c4
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x4x4x8xf32>) {
  // expected-error @+1 {{a window of 4 x 4 does not fit into a padded map of [2, 2]}}
  %0 = vit.conv %x, %w grid [2, 2] stride [1, 1] padding [1, 1, 1, 0] : (tensor<1x4x8xf32>, tensor<5x4x4x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c5
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 5], expected [1, 1, 5]}}
  %0 = vit.conv %x, %w grid [2, 2] stride [2, 2] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c6
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias has shape [4], expected [5]}}
  %0 = vit.conv %x, %w bias %b grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>, tensor<4xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// conv_c7
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<5x1x1x8xf32>, %r: tensor<1x4x8xf32>) {
  // expected-error @+1 {{residual has shape [1, 4, 8], expected [1, 4, 5]}}
  %0 = vit.conv %x, %w residual %r grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<5x1x1x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

// depthwise_conv_c1
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<1x1x8xf32>) {
  // expected-error @+1 {{padding [0, -1, 0, 0] must be four numbers, none negative}}
  %0 = vit.depthwise_conv %x, %w grid [2, 2] stride [1, 1] padding [0, -1, 0, 0] : (tensor<1x4x8xf32>, tensor<1x1x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// depthwise_conv_c2
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<1x1x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 2, 8]}}
  %0 = vit.depthwise_conv %x, %w grid [2, 1] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<1x1x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// depthwise_conv_c3: its channels
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<1x1x7xf32>) {
  // expected-error @+1 {{weight has shape [1, 1, 7], expected [1, 1, 8]}}
  %0 = vit.depthwise_conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<1x1x7xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// depthwise_conv_c3: its size
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<3x3x8xf32>) {
  // expected-error @+1 {{a window of 3 x 3 does not fit into a padded map of [2, 2]}}
  %0 = vit.depthwise_conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<3x3x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// depthwise_conv_c4
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<1x1x8xf32>) {
  // expected-error @+1 {{result has shape [1, 1, 8], expected [1, 4, 8]}}
  %0 = vit.depthwise_conv %x, %w grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

// depthwise_conv_c5
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<1x1x8xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{bias has shape [1], expected [8]}}
  %0 = vit.depthwise_conv %x, %w bias %b grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] : (tensor<1x4x8xf32>, tensor<1x1x8xf32>, tensor<1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// group_norm_c1
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{8 channels cannot be split into 3 groups}}
  %0 = vit.group_norm %x gain %g bias %g groups 3 eps 0.0 : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// group_norm_c2
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %h: tensor<7xf32>) {
  // expected-error @+1 {{gain has shape [7], expected [8]}}
  %0 = vit.group_norm %x gain %h bias %g groups 2 eps 0.0 : (tensor<1x4x8xf32>, tensor<7xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// group_norm_c3
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>) {
  // expected-error @+1 {{eps -1.000000e+00 must be finite and not negative}}
  %0 = vit.group_norm %x gain %g bias %g groups 2 eps -1.0 : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// group_norm_c4
func.func @f(%x: tensor<1x4x8xf32>, %g: tensor<8xf32>, %r: tensor<1x3x8xf32>) {
  // expected-error @+1 {{residual has shape [1, 3, 8], expected [1, 4, 8]}}
  %0 = vit.group_norm %x gain %g bias %g residual %r groups 2 eps 0.0 : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x3x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// spatial_pool_c1: the grid
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{grid [0, 2] and stride [1, 1] must each be rows and columns, one or more of each}}
  %0 = vit.spatial_pool %x max grid [0, 2] window [2, 2] stride [1, 1] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// spatial_pool_c1: the window
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{window [2] must be rows and columns, one or more of each}}
  %0 = vit.spatial_pool %x max grid [2, 2] window [2] stride [1, 1] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// spatial_pool_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 9, 8]}}
  %0 = vit.spatial_pool %x max grid [3, 3] window [2, 2] stride [1, 1] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// spatial_pool_c3: too large
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{a window of 3 x 3 does not fit into a padded map of [2, 2]}}
  %0 = vit.spatial_pool %x max grid [2, 2] window [3, 3] stride [1, 1] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// spatial_pool_c3: padding alone
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{padding [2, 0, 0, 0] is as wide as a window of [2, 2]}}
  %0 = vit.spatial_pool %x max grid [2, 2] window [2, 2] stride [1, 1] padding [2, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  return
}

// -----

// spatial_pool_c4
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 8], expected [1, 1, 8]}}
  %0 = vit.spatial_pool %x max grid [2, 2] window [2, 2] stride [1, 1] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// resize_map_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{from [2, 2] to [3] must each be rows and columns, one or more of each}}
  %0 = vit.resize_map %x from [2, 2] to [3] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  return
}

// -----

// resize_map_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{map has shape [1, 4, 8], expected [1, 6, 8]}}
  %0 = vit.resize_map %x from [2, 3] to [3, 3] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  return
}

// -----

// resize_map_c3
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 8, 8], expected [1, 9, 8]}}
  %0 = vit.resize_map %x from [2, 2] to [3, 3] : tensor<1x4x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

// reshape_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{[1, 4, 8] has not as many elements as [8]}}
  %0 = vit.reshape %x : tensor<1x4x8xf32> -> tensor<8xf32>
  return
}

// -----

// transpose_c1
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{order [0, 2, 2] does not have each of the input's 3 dimensions once}}
  %0 = vit.transpose %x order [0, 2, 2] : tensor<1x4x8xf32> -> tensor<1x8x8xf32>
  return
}

// -----

// transpose_c2
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @+1 {{result has shape [1, 4, 8], expected [1, 8, 4]}}
  %0 = vit.transpose %x order [0, 2, 1] : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// constant_c1
func.func @f() {
  // expected-error @+1 {{values are 'tensor<2xf64>', expected 'tensor<3xf64>'}}
  %0 = vit.constant dense<[1.0, 2.0]> : tensor<2xf64> : tensor<3xf32>
  return
}

// -----

// scale_rows_c1
func.func @f(%m: tensor<2x8xf32>, %f: tensor<8xf32>) {
  // expected-error @+1 {{factors has shape [8], expected [2]}}
  %0 = vit.scale_rows %m by %f : tensor<2x8xf32>, tensor<8xf32>
  return
}
