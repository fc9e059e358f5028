// A level's code has its own calls and those of all levels; steps are numbered over all. Kernels of other levels are not declared.
// AVX2: extern
// AVX2-NOT: winograd
// AVX2: strassen_avx2(run.threads, buffer<float>(run, 0), output<float>(run, 0, 0));
// AVX2-NEXT: done(run, 0);
// AVX2-NEXT: plain_avx2(run.threads, buffer<float>(run, 0), output<float>(run, 0, 0));
// AVX2-NEXT: done(run, 2);
// AVX2-NOT: winograd
// ZEN4: extern
// ZEN4-NOT: strassen
// ZEN4: winograd_zen4(run.threads, buffer<float>(run, 0), output<float>(run, 0, 0));
// ZEN4-NEXT: done(run, 1);
// ZEN4-NEXT: plain_zen4(run.threads, buffer<float>(run, 0), output<float>(run, 0, 0));
// ZEN4-NEXT: done(run, 2);
// ZEN4-NOT: strassen
kernel.spec @strassen #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
kernel.spec @winograd #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
kernel.spec @plain #kernel.copy<shape = [1, 1, 1, 1], src_strides = [0, 0, 0, 1], dst_strides = [0, 0, 0, 1]> words "one" flops 0.0 bytes 0.0
func.func @forward(%image: memref<4xf32>, %y: memref<4xf32>) {
  %0 = kernel.alloc at 0 : memref<4xf32>
  kernel.call @strassen ins(%0 : memref<4xf32>) outs(%y : memref<4xf32>) levels ["avx2", "avx512"]
  kernel.call @winograd ins(%0 : memref<4xf32>) outs(%y : memref<4xf32>) levels ["zen4"]
  kernel.call @plain ins(%0 : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
