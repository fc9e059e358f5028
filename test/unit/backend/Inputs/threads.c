/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What frames.c calls, for those who have both. */
void elsewhere(void (*task)(void)) {
  volatile char block[400];
  __asm__ volatile("" : : "r"(block) : "memory");
  task();
  __asm__ volatile("" : : "r"(block) : "memory");
}
