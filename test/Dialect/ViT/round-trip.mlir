// Every op of the dialect, with and without its optional parts, survives being printed and parsed again.
// RUN: %vitc-opt %s | %vitc-opt | FileCheck %s
// RUN: %vitc-opt %s --mlir-print-op-generic | %vitc-opt | FileCheck %s

// CHECK: vit.parameter @position : tensor<1x5x8xf32>
vit.parameter @position : tensor<1x5x8xf32>

// CHECK: vit.parameter @position.resized : tensor<1x7x8xf32> {
// CHECK-NEXT: %[[TABLE:.+]] = vit.get @position : tensor<1x5x8xf32>
// CHECK-NEXT: %[[RESIZED:.+]] = vit.resize_position %[[TABLE]] from [2, 2] to [2, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x7x8xf32>
// CHECK-NEXT: vit.yield %[[RESIZED]] : tensor<1x7x8xf32>
vit.parameter @position.resized : tensor<1x7x8xf32> {
  %0 = vit.get @position : tensor<1x5x8xf32>
  %1 = vit.resize_position %0 from [2, 2] to [2, 3] prefix 1 : tensor<1x5x8xf32> -> tensor<1x7x8xf32>
  vit.yield %1 : tensor<1x7x8xf32>
}

// An empty body is no body.
// CHECK: vit.parameter @empty : tensor<4xf32>{{$}}
vit.parameter @empty : tensor<4xf32> {}

// CHECK-LABEL: func.func @embedding
// CHECK-SAME: %[[IMAGE:[^:]+]]: tensor<2x3x4x6xf32>, %[[W:[^:]+]]: tensor<8x3x2x2xf32>, %[[B:[^:]+]]: tensor<8xf32>,
// CHECK-SAME: %[[P:[^:]+]]: tensor<1x6x8xf32>, %[[CLASS:[^:]+]]: tensor<1x1x8xf32>
func.func @embedding(%image: tensor<2x3x4x6xf32>, %w: tensor<8x3x2x2xf32>, %b: tensor<8xf32>, %p: tensor<1x6x8xf32>,
                     %class: tensor<1x1x8xf32>) {
  // CHECK: vit.patch_embed %[[IMAGE]], %[[W]] : (tensor<2x3x4x6xf32>, tensor<8x3x2x2xf32>) -> tensor<2x6x8xf32>
  %0 = vit.patch_embed %image, %w : (tensor<2x3x4x6xf32>, tensor<8x3x2x2xf32>) -> tensor<2x6x8xf32>
  // CHECK: vit.patch_embed %[[IMAGE]], %[[W]] bias %[[B]] :
  %1 = vit.patch_embed %image, %w bias %b : (tensor<2x3x4x6xf32>, tensor<8x3x2x2xf32>, tensor<8xf32>) -> tensor<2x6x8xf32>
  // CHECK: vit.patch_embed %[[IMAGE]], %[[W]] position %[[P]] :
  %2 = vit.patch_embed %image, %w position %p : (tensor<2x3x4x6xf32>, tensor<8x3x2x2xf32>, tensor<1x6x8xf32>) -> tensor<2x6x8xf32>
  // CHECK: %[[TOKENS:.+]] = vit.patch_embed %[[IMAGE]], %[[W]] bias %[[B]] position %[[P]] :
  %3 = vit.patch_embed %image, %w bias %b position %p
      : (tensor<2x3x4x6xf32>, tensor<8x3x2x2xf32>, tensor<8xf32>, tensor<1x6x8xf32>) -> tensor<2x6x8xf32>
  // CHECK: vit.concat_tokens %[[CLASS]], %[[TOKENS]] : (tensor<1x1x8xf32>, tensor<2x6x8xf32>) -> tensor<2x7x8xf32>
  %4 = vit.concat_tokens %class, %3 : (tensor<1x1x8xf32>, tensor<2x6x8xf32>) -> tensor<2x7x8xf32>
  // CHECK: vit.add_position %[[TOKENS]], %[[P]] : tensor<2x6x8xf32>, tensor<1x6x8xf32>
  %5 = vit.add_position %3, %p : tensor<2x6x8xf32>, tensor<1x6x8xf32>
  return
}

// An image may have more rows and columns than whole patches.
// CHECK-LABEL: func.func @ragged
func.func @ragged(%image: tensor<1x3x5x7xf32>, %w: tensor<8x3x2x3xf32>) {
  // CHECK: vit.patch_embed {{.*}} -> tensor<1x4x8xf32>
  %0 = vit.patch_embed %image, %w : (tensor<1x3x5x7xf32>, tensor<8x3x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// CHECK-LABEL: func.func @encoder
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x5x8xf32>, %[[G:[^:]+]]: tensor<8xf32>, %[[W:[^:]+]]: tensor<8x8xf32>
// CHECK-SAME: %[[UP:[^:]+]]: tensor<16x8xf32>, %[[UPB:[^:]+]]: tensor<16xf32>, %[[DOWN:[^:]+]]: tensor<8x16xf32>
func.func @encoder(%x: tensor<1x5x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xf32>,
                   %up: tensor<16x8xf32>, %upb: tensor<16xf32>, %down: tensor<8x16xf32>) {
  // CHECK: vit.layer_norm %[[X]] gain %[[G]] bias %[[G]] eps 9.9999999999999998E-13 : tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  %0 = vit.layer_norm %x gain %g bias %g eps 1.0e-12 : tensor<1x5x8xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: vit.layer_norm %[[X]] eps 0.000000e+00 : tensor<1x5x8xf32>{{$}}
  %1 = vit.layer_norm %x eps 0.0 : tensor<1x5x8xf32>

  // CHECK: vit.linear %[[X]], %[[W]] : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  %2 = vit.linear %x, %w : (tensor<1x5x8xf32>, tensor<8x8xf32>) -> tensor<1x5x8xf32>
  // CHECK: vit.linear %[[X]], %[[W]] residual %[[X]] :
  %3 = vit.linear %x, %w residual %x : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  // CHECK: vit.linear %[[X]], %[[W]] bias %[[G]] residual %[[X]] activation gelu :
  %4 = vit.linear %x, %w bias %g residual %x activation gelu
      : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  // No activation is not written.
  // CHECK: vit.linear %[[X]], %[[W]] bias %[[G]] :
  %5 = vit.linear %x, %w bias %g activation none : (tensor<1x5x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  // One channel vector is a tensor of one row.
  // CHECK: vit.linear %[[G]], %[[W]] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  %6 = vit.linear %g, %w : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>

  // CHECK: vit.activate %[[X]] none
  // CHECK: vit.activate %[[X]] gelu :
  // CHECK: vit.activate %[[X]] gelu_tanh
  // CHECK: vit.activate %[[X]] quick_gelu
  // CHECK: vit.activate %[[X]] relu
  // CHECK: vit.activate %[[X]] silu
  // CHECK: vit.activate %[[X]] tanh
  %10 = vit.activate %x none : tensor<1x5x8xf32>
  %11 = vit.activate %x gelu : tensor<1x5x8xf32>
  %12 = vit.activate %x gelu_tanh : tensor<1x5x8xf32>
  %13 = vit.activate %x quick_gelu : tensor<1x5x8xf32>
  %14 = vit.activate %x relu : tensor<1x5x8xf32>
  %15 = vit.activate %x silu : tensor<1x5x8xf32>
  %16 = vit.activate %x tanh : tensor<1x5x8xf32>

  // CHECK: vit.attention %[[X]], %[[X]], %[[X]] heads 2 scale 5.000000e-01 : {{.*}} -> tensor<1x5x8xf32>
  %20 = vit.attention %x, %x, %x heads 2 scale 0.5 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  // CHECK: %{{.+}}, %{{.+}} = vit.attention {{.*}} -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>)
  %21, %maps = vit.attention %x, %x, %x heads 2 scale 0.5
      : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x2x5x5xf32>)

  // CHECK: vit.mlp %[[X]] up %[[UP]] down %[[DOWN]] relu :
  %30 = vit.mlp %x up %up down %down relu : (tensor<1x5x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<1x5x8xf32>
  // CHECK: vit.mlp %[[X]] up %[[UP]], %[[UPB]] down %[[DOWN]] gelu :
  %31 = vit.mlp %x up %up, %upb down %down gelu
      : (tensor<1x5x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<8x16xf32>) -> tensor<1x5x8xf32>
  // CHECK: vit.mlp %[[X]] up %[[UP]] down %[[DOWN]], %[[G]] gelu :
  %32 = vit.mlp %x up %up down %down, %g gelu
      : (tensor<1x5x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>
  // CHECK: vit.mlp %[[X]] up %[[UP]], %[[UPB]] down %[[DOWN]], %[[G]] gelu :
  %33 = vit.mlp %x up %up, %upb down %down, %g gelu
      : (tensor<1x5x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<1x5x8xf32>

  // CHECK: vit.add %[[X]], %[[X]] : tensor<1x5x8xf32>
  %40 = vit.add %x, %x : tensor<1x5x8xf32>
  return
}

// CHECK-LABEL: func.func @single_query
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x8xf32>, %[[Q:[^:]+]]: tensor<2x6xf32>, %[[W:[^:]+]]: tensor<6x8xf32>
func.func @single_query(%x: tensor<2x5x8xf32>, %q: tensor<2x6xf32>, %w: tensor<6x8xf32>) {
  // CHECK: vit.single_query_attention %[[X]] query %[[Q]] key %[[W]] value %[[W]] heads 3 scale 1.000000e+00 :
  %0 = vit.single_query_attention %x query %q key %w value %w heads 3 scale 1.0
      : (tensor<2x5x8xf32>, tensor<2x6xf32>, tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  return
}

// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x8xf32>, %[[W:[^:]+]]: tensor<3x8xf32>, %[[B:[^:]+]]: tensor<3xf32>
func.func @heads(%x: tensor<2x5x8xf32>, %w: tensor<3x8xf32>, %b: tensor<3xf32>) {
  // CHECK: %[[POOLED:.+]] = vit.pool %[[X]] token 0 : tensor<2x5x8xf32> -> tensor<2x8xf32>
  %0 = vit.pool %x token 0 : tensor<2x5x8xf32> -> tensor<2x8xf32>
  // CHECK: vit.pool %[[X]] mean 1 :
  %1 = vit.pool %x mean 1 : tensor<2x5x8xf32> -> tensor<2x8xf32>
  // CHECK: vit.head %[[POOLED]], %[[W]] none :
  %2 = vit.head %0, %w none : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  // CHECK: %[[LOGITS:.+]] = vit.head %[[POOLED]], %[[W]] bias %[[B]] tanh :
  %3 = vit.head %0, %w bias %b tanh : (tensor<2x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: vit.softmax %[[LOGITS]] : tensor<2x3xf32>
  %4 = vit.softmax %3 : tensor<2x3xf32>
  // CHECK: vit.stack %[[X]] : (tensor<2x5x8xf32>) -> tensor<2x1x5x8xf32>
  %5 = vit.stack %x : (tensor<2x5x8xf32>) -> tensor<2x1x5x8xf32>
  // CHECK: vit.stack %[[X]], %[[X]], %[[X]] : {{.*}} -> tensor<2x3x5x8xf32>
  %6 = vit.stack %x, %x, %x : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x3x5x8xf32>
  return
}

// CHECK-LABEL: func.func @shape
// CHECK-SAME: %[[A:[^:]+]]: tensor<2x8xf32>, %[[B:[^:]+]]: tensor<3x8xf32>, %[[F:[^:]+]]: tensor<8xf32>
func.func @shape(%a: tensor<2x8xf32>, %b: tensor<3x8xf32>, %f: tensor<8xf32>) {
  // CHECK: vit.concat %[[A]], %[[B]] along 0 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  %0 = vit.concat %a, %b along 0 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<5x8xf32>
  // CHECK: vit.concat %[[A]] along 1 :
  %1 = vit.concat %a along 1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  // CHECK: vit.slice %[[A]] along 1 from 5 : tensor<2x8xf32> -> tensor<2x3xf32>
  %2 = vit.slice %a along 1 from 5 : tensor<2x8xf32> -> tensor<2x3xf32>
  // CHECK: vit.fill 0.000000e+00 : tensor<8xf32>
  %3 = vit.fill 0.0 : tensor<8xf32>
  // CHECK: vit.scale %[[A]] by -1.250000e-01 : tensor<2x8xf32>
  %4 = vit.scale %a by -0.125 : tensor<2x8xf32>
  // CHECK: vit.scale_columns %[[A]] by %[[F]] : tensor<2x8xf32>, tensor<8xf32>
  %5 = vit.scale_columns %a by %f : tensor<2x8xf32>, tensor<8xf32>
  return
}

// Other attributes stay.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<1x8xf32>) {
  // CHECK: vit.softmax %{{.+}} {note = "kept"} : tensor<1x8xf32>
  %0 = vit.softmax %x {note = "kept"} : tensor<1x8xf32>
  return
}

// CHECK-LABEL: func.func @attention_with_extras
func.func @attention_with_extras(%x: tensor<4x4x8xf32>, %q: tensor<1x1x8xf32>, %b: tensor<2x4x4xf32>, %m: tensor<2x4x4xf32>, %t: tensor<2x4x4xf32>, %g: tensor<8xf32>, %v: tensor<4x8xf32>) {
  // CHECK: vit.attention %{{.+}}, %{{.+}}, %{{.+}} bias %{{.+}} mask %{{.+}} heads 2 scale 1.000000e+00 : (tensor<4x4x8xf32>, tensor<4x4x8xf32>, tensor<4x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<4x4x8xf32>
  %0 = vit.attention %x, %x, %x bias %b mask %m heads 2 scale 1.000000e+00 : (tensor<4x4x8xf32>, tensor<4x4x8xf32>, tensor<4x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<4x4x8xf32>
  // CHECK: vit.attention %{{.+}}, %{{.+}}, %{{.+}} heads 2 scale 1.000000e+00 : (tensor<1x1x8xf32>, tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x1x8xf32>
  %1 = vit.attention %q, %x, %x heads 2 scale 1.000000e+00 : (tensor<1x1x8xf32>, tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x1x8xf32>
  // CHECK: vit.rotate %{{.+}} cos %{{.+}} sin %{{.+}} heads 2 halves : (tensor<4x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<4x4x8xf32>
  %2 = vit.rotate %x cos %t sin %t heads 2 halves : (tensor<4x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<4x4x8xf32>
  // CHECK: vit.affine %{{.+}} scale %{{.+}} : (tensor<4x4x8xf32>, tensor<8xf32>) -> tensor<4x4x8xf32>
  %3 = vit.affine %x scale %g : (tensor<4x4x8xf32>, tensor<8xf32>) -> tensor<4x4x8xf32>
  // CHECK: vit.affine %{{.+}} scale %{{.+}} shift %{{.+}} : (tensor<4x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x4x8xf32>
  %4 = vit.affine %x scale %g shift %g : (tensor<4x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x4x8xf32>
  // CHECK: vit.gate %{{.+}} by %{{.+}} silu : tensor<4x4x8xf32>, tensor<4x4x8xf32>
  %5 = vit.gate %x by %x silu : tensor<4x4x8xf32>, tensor<4x4x8xf32>
  // CHECK: vit.gate %{{.+}} by %{{.+}} sigmoid : tensor<4x4x8xf32>, tensor<4x8xf32>
  %6 = vit.gate %x by %v sigmoid : tensor<4x4x8xf32>, tensor<4x8xf32>
  // CHECK: vit.layer_norm %{{.+}} gain %{{.+}} eps {{[^ ]+}} rms groups 2 : tensor<4x4x8xf32>, tensor<8xf32>
  %7 = vit.layer_norm %x gain %g eps 1.000000e-01 rms groups 2 : tensor<4x4x8xf32>, tensor<8xf32>
  // CHECK: vit.layer_norm %{{.+}} eps {{[^ ]+}} l2 : tensor<4x4x8xf32>
  %8 = vit.layer_norm %x eps 1.000000e-01 l2 : tensor<4x4x8xf32>
  // CHECK: vit.pool %{{.+}} mean_max 1 : tensor<4x4x8xf32> -> tensor<4x8xf32>
  %9 = vit.pool %x mean_max 1 : tensor<4x4x8xf32> -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x6x8xf32>, %t: tensor<18x2xf32>) {
  // CHECK: vit.window_partition %{{.+}} grid [2, 3] window [2, 2] shift [1, 1] : tensor<1x6x8xf32> -> tensor<2x4x8xf32>
  %0 = vit.window_partition %x grid [2, 3] window [2, 2] shift [1, 1] : tensor<1x6x8xf32> -> tensor<2x4x8xf32>
  // CHECK: vit.window_partition %{{.+}} grid [2, 3] window [1, 3] shift [0, 0] grid : tensor<1x6x8xf32> -> tensor<3x2x8xf32>
  %1 = vit.window_partition %x grid [2, 3] window [1, 3] shift [0, 0] grid : tensor<1x6x8xf32> -> tensor<3x2x8xf32>
  // CHECK: vit.window_merge %{{.+}} grid [2, 3] window [2, 2] shift [1, 1] : tensor<2x4x8xf32> -> tensor<1x6x8xf32>
  %2 = vit.window_merge %0 grid [2, 3] window [2, 2] shift [1, 1] : tensor<2x4x8xf32> -> tensor<1x6x8xf32>
  // CHECK: vit.window_mask grid [2, 3] window [2, 2] shift [1, 1] value -1.000000e+02 : tensor<2x4x4xf32>
  %3 = vit.window_mask grid [2, 3] window [2, 2] shift [1, 1] value -1.000000e+02 : tensor<2x4x4xf32>
  // CHECK: vit.relative_bias %{{.+}} grid [2, 3] prefix 1 : tensor<18x2xf32> -> tensor<2x7x7xf32>
  %4 = vit.relative_bias %t grid [2, 3] prefix 1 : tensor<18x2xf32> -> tensor<2x7x7xf32>
  // CHECK: vit.space_to_depth %{{.+}} grid [2, 3] block [2, 2] columns : tensor<1x6x8xf32> -> tensor<1x2x32xf32>
  %5 = vit.space_to_depth %x grid [2, 3] block [2, 2] columns : tensor<1x6x8xf32> -> tensor<1x2x32xf32>
  return
}

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%p: tensor<1x3x5x5xf32>, %pw: tensor<8x3x3x3xf32>, %x: tensor<1x4x8xf32>, %w: tensor<8x2x2x8xf32>, %d: tensor<2x2x8xf32>, %g: tensor<8xf32>, %r: tensor<1x1x8xf32>) {
  // CHECK: vit.conv %{{.+}}, %{{.+}} grid [5, 5] stride [2, 2] padding [0, 0, 0, 0] : (tensor<1x3x5x5xf32>, tensor<8x3x3x3xf32>) -> tensor<1x4x8xf32>
  %0 = vit.conv %p, %pw grid [5, 5] stride [2, 2] padding [0, 0, 0, 0] : (tensor<1x3x5x5xf32>, tensor<8x3x3x3xf32>) -> tensor<1x4x8xf32>
  // CHECK: vit.conv %{{.+}}, %{{.+}} bias %{{.+}} residual %{{.+}} grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] activation relu : (tensor<1x4x8xf32>, tensor<8x2x2x8xf32>, tensor<8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  %1 = vit.conv %x, %w bias %g residual %r grid [2, 2] stride [1, 1] padding [0, 0, 0, 0] activation relu : (tensor<1x4x8xf32>, tensor<8x2x2x8xf32>, tensor<8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  // CHECK: vit.depthwise_conv %{{.+}}, %{{.+}} bias %{{.+}} grid [2, 2] stride [1, 1] padding [0, 0, 1, 1] activation silu : (tensor<1x4x8xf32>, tensor<2x2x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %2 = vit.depthwise_conv %x, %d bias %g grid [2, 2] stride [1, 1] padding [0, 0, 1, 1] activation silu : (tensor<1x4x8xf32>, tensor<2x2x8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  // CHECK: vit.group_norm %{{.+}} gain %{{.+}} bias %{{.+}} groups 2 eps {{[^ ]+}} : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  %3 = vit.group_norm %x gain %g bias %g groups 2 eps 1.000000e-01 : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8xf32>
  // CHECK: vit.group_norm %{{.+}} gain %{{.+}} bias %{{.+}} residual %{{.+}} groups 2 eps {{[^ ]+}} activation relu : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %4 = vit.group_norm %x gain %g bias %g residual %x groups 2 eps 1.000000e-01 activation relu : (tensor<1x4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  // CHECK: vit.spatial_pool %{{.+}} max grid [2, 2] window [2, 2] stride [1, 1] padding [0, 0, 1, 1] pad_zero : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  %5 = vit.spatial_pool %x max grid [2, 2] window [2, 2] stride [1, 1] padding [0, 0, 1, 1] pad_zero : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  // CHECK: vit.spatial_pool %{{.+}} mean grid [2, 2] window [2, 2] stride [2, 2] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  %6 = vit.spatial_pool %x mean grid [2, 2] window [2, 2] stride [2, 2] padding [0, 0, 0, 0] : tensor<1x4x8xf32> -> tensor<1x1x8xf32>
  // CHECK: vit.resize_map %{{.+}} from [2, 2] to [3, 3] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  %7 = vit.resize_map %x from [2, 2] to [3, 3] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  return
}

// CHECK-LABEL: func.func @on_parameters
func.func @on_parameters(%t: tensor<1x4x8xf32>, %m: tensor<2x8xf32>, %f: tensor<2xf32>) {
  // CHECK: vit.resize_position %{{.+}} from [2, 2] to [3, 3] prefix 0 bilinear antialias factors [1.500000e+00, 1.500000e+00] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  %0 = vit.resize_position %t from [2, 2] to [3, 3] prefix 0 bilinear antialias factors [1.500000e+00, 1.500000e+00] : tensor<1x4x8xf32> -> tensor<1x9x8xf32>
  // CHECK: vit.reshape %{{.+}} : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %1 = vit.reshape %t : tensor<1x4x8xf32> -> tensor<4x8xf32>
  // CHECK: vit.transpose %{{.+}} order [0, 2, 1] : tensor<1x4x8xf32> -> tensor<1x8x4xf32>
  %2 = vit.transpose %t order [0, 2, 1] : tensor<1x4x8xf32> -> tensor<1x8x4xf32>
  // CHECK: vit.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf64> : tensor<2xf32>
  %3 = vit.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf64> : tensor<2xf32>
  // CHECK: vit.exp %{{.+}} limit {{[^ ]+}} : tensor<2xf32>
  %4 = vit.exp %f limit 4.600000e+00 : tensor<2xf32>
  // CHECK: vit.inverse_root %{{.+}} eps {{[^ ]+}} : tensor<2xf32>
  %5 = vit.inverse_root %f eps 1.000000e-05 : tensor<2xf32>
  // CHECK: vit.standardize %{{.+}} eps {{[^ ]+}} : tensor<2x8xf32>
  %6 = vit.standardize %m eps 1.000000e-05 : tensor<2x8xf32>
  // CHECK: vit.scale_rows %{{.+}} by %{{.+}} : tensor<2x8xf32>, tensor<2xf32>
  %7 = vit.scale_rows %m by %f : tensor<2x8xf32>, tensor<2xf32>
  return
}
