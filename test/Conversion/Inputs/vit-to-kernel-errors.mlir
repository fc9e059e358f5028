vit.parameter @u : tensor<16x8xf32>
vit.parameter @d : tensor<8x16xf32>
vit.parameter @w : tensor<8x3x2x2xf32>
func.func @mlp(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %u = vit.get @u : tensor<16x8xf32>
  %d = vit.get @d : tensor<8x16xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation}}
  %0 = vit.mlp %x up %u down %d gelu : (tensor<1x4x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @tokens_of_the_image(%image: tensor<1x3x4x4xf32>) -> tensor<1x8x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: its weights are not parameters}}
  %0 = vit.concat_tokens %x, %x : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @slice_of_tokens(%image: tensor<2x3x4x4xf32>) -> tensor<2x2x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: only ranges of channels, or of one image's tokens, can be taken while the model runs}}
  %0 = vit.slice %x along 1 from 0 : tensor<2x4x8xf32> -> tensor<2x2x8xf32>
  return %0 : tensor<2x2x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @concat_of_tokens(%image: tensor<1x3x4x4xf32>) -> tensor<1x8x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: only channels can be put side by side while the model runs}}
  %0 = vit.concat %x, %x along 1 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @q : tensor<1x1x8xf32>
func.func @shared_queries(%image: tensor<2x3x4x4xf32>) -> tensor<2x1x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %q = vit.get @q : tensor<1x1x8xf32>
  %x = vit.patch_embed %image, %w : (tensor<2x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<2x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: one set of queries for several images}}
  %0 = vit.attention %q, %x, %x heads 2 scale 1.0 : (tensor<1x1x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x1x8xf32>
  return %0 : tensor<2x1x8xf32>
}

// -----

func.func @image_returned(%image: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  // expected-error @+1 {{no kernel computes this operation: the image can only be embedded}}
  return %image : tensor<1x3x4x4xf32>
}

// -----

func.func @image_activated(%image: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  // expected-error @+1 {{no kernel computes this operation: the image can only be embedded}}
  %0 = vit.activate %image gelu : tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

vit.parameter @p : tensor<8xf32>
func.func @parameter_returned(%image: tensor<1x3x4x4xf32>) -> tensor<8xf32> {
  %p = vit.get @p : tensor<8xf32>
  // expected-error @+1 {{no kernel computes this operation: a parameter stands in the place of an activation}}
  return %p : tensor<8xf32>
}

// -----

vit.parameter @p : tensor<1x8xf32>
func.func @not_hoisted(%image: tensor<1x3x4x4xf32>) -> tensor<1x8xf32> {
  %p = vit.get @p : tensor<1x8xf32>
  // expected-error @+1 {{no kernel computes this operation: a parameter stands in the place of an activation}}
  %0 = vit.softmax %p : tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// -----

func.func @weight_is_an_argument(%image: tensor<1x3x4x4xf32>, %w: tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32> {
  // expected-error @+1 {{no kernel computes this operation: its weights are not parameters}}
  %0 = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @stack_read(%image: tensor<1x3x4x4xf32>) -> tensor<1x1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  %0 = vit.stack %x : (tensor<1x4x8xf32>) -> tensor<1x1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: a stack can only be returned}}
  %1 = vit.activate %0 gelu : tensor<1x1x4x8xf32>
  return %1 : tensor<1x1x4x8xf32>
}

// -----

// expected-error @+1 {{takes or returns something that is not a tensor of the vit dialect}}
func.func @no_tensor(%image: i32) {
  return
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
vit.parameter @v : tensor<8x8xf32>
func.func @selection_of_something_else(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %v = vit.get @v : tensor<8x8xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{kernel.selected is ["strassen"], expected a list of #kernel.level}}
  %0 = vit.linear %x, %v {kernel.selected = ["strassen"]} : (tensor<1x4x8xf32>, tensor<8x8xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @selection_without_levels(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{kernel.selected is 4 : i64, expected a list of #kernel.level}}
  %0 = vit.attention %x, %x, %x heads 2 scale 1.0 {kernel.selected = 4 : i64} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @attention_by_strassen(%image: tensor<1x3x4x4xf32>) -> tensor<1x4x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{attention has plain kernels and Winograd's alone}}
  %0 = vit.attention %x, %x, %x heads 2 scale 1.0 {kernel.selected = [#kernel.level<"avx2", strassen>]} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return %0 : tensor<1x4x8xf32>
}
