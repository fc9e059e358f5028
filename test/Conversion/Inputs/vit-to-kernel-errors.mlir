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
func.func @tokens_of_the_picture(%image: tensor<1x3x4x4xf32>) -> tensor<1x8x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: the tokens are not a parameter}}
  %0 = vit.concat_tokens %x, %x : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32>
  return %0 : tensor<1x8x8xf32>
}

// -----

vit.parameter @w : tensor<8x3x2x2xf32>
func.func @slice_of_tokens(%image: tensor<1x3x4x4xf32>) -> tensor<1x2x8xf32> {
  %w = vit.get @w : tensor<8x3x2x2xf32>
  %x = vit.patch_embed %image, %w : (tensor<1x3x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x4x8xf32>
  // expected-error @+1 {{no kernel computes this operation: only ranges of channels can be taken while the model runs}}
  %0 = vit.slice %x along 1 from 0 : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
  return %0 : tensor<1x2x8xf32>
}
