// RUN: %vitc-opt %s --kernel-attach-target="panel=32 levels=avx2:strassen,zen4:winograd,old" | FileCheck %s
// RUN: %vitc-opt %s --kernel-attach-target | FileCheck %s --check-prefix=DEFAULT
// RUN: not %vitc-opt %s --kernel-attach-target=levels=avx2:fast 2>&1 | FileCheck %s --check-prefix=ALGORITHM
// RUN: not %vitc-opt %s --kernel-attach-target=panel=0 2>&1 | FileCheck %s --check-prefix=PANEL
// RUN: not %vitc-opt %s --kernel-attach-target=levels=avx2,avx2 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK: module attributes {kernel.target = #kernel.target<panel = 32, levels = [<"avx2", strassen>, <"zen4", winograd>, <"old", plain>]>}
// DEFAULT: module attributes {kernel.target = #kernel.target<panel = 16, levels = [<"any", plain>]>}
// ALGORITHM: level avx2:fast: no algorithm is called fast
// PANEL: panel 0 is not between 1 and 1048576
// TWICE: level "avx2" is there twice
module {}
