/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
void use(volatile char *);
void first(int n);
void second(int n) {
  volatile char block[16];
  use(block);
  if (n)
    first(n - 1);
  use(block);
}
void first(int n) {
  second(n);
  use((volatile char *)0);
}
