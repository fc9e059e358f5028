/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
void use(volatile char *);
void variable(int n) {
  volatile char block[n];
  use(block);
}
