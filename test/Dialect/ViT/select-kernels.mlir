// Each op has an algorithm at each level, by rules that go by its size; a remark says why.
// RUN: %vitc-opt %s --kernel-attach-target="panel=32 levels=avx2:strassen,zen4:winograd,old" --vit-select-kernels | FileCheck %s
// RUN: %vitc-opt %s --kernel-attach-target="panel=32 levels=avx2:strassen,zen4:winograd,old" --vit-select-kernels=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %vitc-opt %s --kernel-attach-target="panel=64 levels=sm80:tensor_core" --vit-select-kernels | FileCheck %s --check-prefix=GPU
// RUN: %vitc-opt %s --vit-select-kernels | FileCheck %s --check-prefix=NONE
// NONE-LABEL: func.func @large
// NONE: kernel.selected = [#kernel.level<"any", plain>]

// CHECK-LABEL: func.func @large
// CHECK: vit.linear {{.*}}kernel.selected = [#kernel.level<"avx2", strassen>, #kernel.level<"zen4", winograd>, #kernel.level<"old", plain>]
// REMARK: remark: strassen at avx2: seven products of half the size take the place of eight
// REMARK: remark: winograd at zen4: additions, which cost nothing there
// REMARK: remark: plain at old: the target has no other for this level
// GPU-LABEL: func.func @large
// GPU: kernel.selected = [#kernel.level<"sm80", tensor_core>]
func.func @large(%x: tensor<1x197x384xf32>, %w: tensor<384x384xf32>) -> tensor<1x197x384xf32> {
  %0 = vit.linear %x, %w : (tensor<1x197x384xf32>, tensor<384x384xf32>) -> tensor<1x197x384xf32>
  return %0 : tensor<1x197x384xf32>
}

// CHECK-LABEL: func.func @few_rows
// CHECK: vit.linear {{.*}}kernel.selected = [#kernel.level<"avx2", plain>, #kernel.level<"zen4", winograd>, #kernel.level<"old", plain>]
// REMARK: remark: plain at avx2: strassen gains from 48 rows on, not with 47
func.func @few_rows(%x: tensor<1x47x384xf32>, %w: tensor<384x384xf32>) -> tensor<1x47x384xf32> {
  %0 = vit.linear %x, %w : (tensor<1x47x384xf32>, tensor<384x384xf32>) -> tensor<1x47x384xf32>
  return %0 : tensor<1x47x384xf32>
}

// CHECK-LABEL: func.func @halves_of_panels
// CHECK: vit.linear {{.*}}kernel.selected = [#kernel.level<"avx2", plain>, #kernel.level<"zen4", winograd>
// REMARK: remark: plain at avx2: strassen takes multiples of 64 columns, not 416
func.func @halves_of_panels(%x: tensor<1x48x384xf32>, %w: tensor<416x384xf32>) -> tensor<1x48x416xf32> {
  %0 = vit.linear %x, %w : (tensor<1x48x384xf32>, tensor<416x384xf32>) -> tensor<1x48x416xf32>
  return %0 : tensor<1x48x416xf32>
}

// CHECK-LABEL: func.func @one_row
// CHECK: vit.linear {{.*}}kernel.selected = [#kernel.level<"avx2", plain>, #kernel.level<"zen4", plain>
// REMARK: remark: plain at zen4: winograd gains from 16 rows on, not with 1
// GPU-LABEL: func.func @one_row
// GPU: kernel.selected = [#kernel.level<"sm80", plain>]
func.func @one_row(%x: tensor<1x384xf32>, %w: tensor<384x384xf32>) -> tensor<1x384xf32> {
  %0 = vit.linear %x, %w : (tensor<1x384xf32>, tensor<384x384xf32>) -> tensor<1x384xf32>
  return %0 : tensor<1x384xf32>
}

// CHECK-LABEL: func.func @short_sums
// CHECK: vit.linear {{.*}}#kernel.level<"zen4", plain>
// REMARK: remark: plain at zen4: winograd gains from 192 steps on, not with 128
func.func @short_sums(%x: tensor<1x49x128xf32>, %w: tensor<96x128xf32>) -> tensor<1x49x96xf32> {
  %0 = vit.linear %x, %w : (tensor<1x49x128xf32>, tensor<96x128xf32>) -> tensor<1x49x96xf32>
  return %0 : tensor<1x49x96xf32>
}

// CHECK-LABEL: func.func @attention
// CHECK: vit.attention {{.*}}kernel.selected = [#kernel.level<"avx2", plain>, #kernel.level<"zen4", winograd>, #kernel.level<"old", plain>]
// REMARK: remark: plain at avx2: strassen is for linear layers
func.func @attention(%x: tensor<1x49x64xf32>) -> tensor<1x49x64xf32> {
  %0 = vit.attention %x, %x, %x heads 2 scale 1.0 : (tensor<1x49x64xf32>, tensor<1x49x64xf32>, tensor<1x49x64xf32>) -> tensor<1x49x64xf32>
  return %0 : tensor<1x49x64xf32>
}

// What is computed at compile time has no kernel.
// CHECK: vit.parameter @derived
// CHECK-NOT: kernel.selected
vit.parameter @w : tensor<384x384xf32>
vit.parameter @derived : tensor<384x384xf32> {
  %w = vit.get @w : tensor<384x384xf32>
  %0 = vit.linear %w, %w : (tensor<384x384xf32>, tensor<384x384xf32>) -> tensor<384x384xf32>
  vit.yield %0 : tensor<384x384xf32>
}
