/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose need of stack is known within a few words. */
void use(volatile char *);
void elsewhere(void (*)(void));

void leaf(void) {
  volatile char block[1000];
  __asm__ volatile("" : : "r"(block) : "memory"); /* all of it is needed */
}

void calls(void) {
  volatile char block[3000];
  use(block);
  leaf();
}

static void task(void) {
  volatile char block[5000];
  use(block);
}

/* Whoever is given the task calls it. */
void refers(void) {
  volatile char block[100];
  use(block);
  elsewhere(task);
}

void aligned(void) {
  _Alignas(512) volatile char block[2048];
  use(block);
}

/* The deep part is behind a branch. */
void branches(int way) {
  if (way) {
    volatile char block[7000];
    use(block);
    calls();
  }
}

void switches(int way, volatile char *block) {
  switch (way) {
  case 0:
    use(block);
    break;
  case 1:
    use(block + 2);
    use(block);
    break;
  case 2:
    leaf();
    use(block);
    break;
  case 3:
    use(block + 9);
    break;
  case 4:
    use(block + 7);
    leaf();
    break;
  case 5:
    calls();
    break;
  }
}

/* The eighth argument and those behind it are on the stack. */
void many(int, int, int, int, int, int, int, int, long, long, long, long);
void pushes(volatile char *block) {
  for (int i = 0; i < 10; ++i)
    many(1, 2, 3, 4, 5, 6, 7, i, 9, 10, 11, 12);
  use(block);
  many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}
