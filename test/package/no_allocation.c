/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts what the library asks the system for. Between fashion_create and
   fashion_destroy it must be nothing. Functions defined in the program stand
   before those of the C library, also for the code of a static library. Usage:
   no_allocation WEIGHTS */
#define _GNU_SOURCE
#include "fashion.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_int counting, memory, mappings, files, locks, threads;

static void count(atomic_int *counter) {
  if (atomic_load(&counting))
    atomic_fetch_add(counter, 1);
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  count(&memory);
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  count(&memory);
  return __libc_calloc(n, size);
}
void *realloc(void *block, size_t size) {
  count(&memory);
  return __libc_realloc(block, size);
}
void *memalign(size_t alignment, size_t size) {
  count(&memory);
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  return (*block = memalign(alignment, size)) ? 0 : ENOMEM;
}
void free(void *block) {
  if (block)
    count(&memory);
  __libc_free(block);
}

static void *(*realMmap)(void *, size_t, int, int, int, off_t);
static int (*realMunmap)(void *, size_t);
static int (*realOpen)(const char *, int, ...);
static int (*realLock)(pthread_mutex_t *);
static int (*realThread)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                         void *);

/* dlsym gives an object pointer; ISO C knows no cast from that to a function.
 */
__attribute__((constructor)) static void findReal(void) {
  *(void **)&realMmap = dlsym(RTLD_NEXT, "mmap");
  *(void **)&realMunmap = dlsym(RTLD_NEXT, "munmap");
  *(void **)&realOpen = dlsym(RTLD_NEXT, "open");
  *(void **)&realLock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  *(void **)&realThread = dlsym(RTLD_NEXT, "pthread_create");
}

void *mmap(void *address, size_t size, int protection, int flags, int file,
           off_t offset) {
  count(&mappings);
  return realMmap(address, size, protection, flags, file, offset);
}
int munmap(void *address, size_t size) {
  count(&mappings);
  return realMunmap(address, size);
}
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  count(&files);
  return realOpen(path, flags, mode);
}
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  count(&locks);
  return realLock(mutex);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*body)(void *), void *argument) {
  count(&threads);
  return realThread(thread, attributes, body, argument);
}

static void report(const char *when) {
  printf("%s: %d memory, %d mappings, %d files, %d locks, %d threads\n", when,
         memory, mappings, files, locks, threads);
}

int main(int argc, char **argv) {
  static uint8_t pixels[fashion_HEIGHT * fashion_WIDTH];
  static float tensor[fashion_HEIGHT * fashion_WIDTH],
      logits[fashion_LOGITS_ELEMENTS];
  fashion_image image = {pixels,         fashion_WIDTH,
                         fashion_HEIGHT, fashion_PIXELS_NATIVE,
                         fashion_WIDTH,  {0, 0, 0, 0}};
  fashion_options options = {.threads = 3};
  fashion_context *context;
  if (argc != 2)
    return 2;
  atomic_store(&counting, 1);
  if (fashion_create(argv[1], &options, &context) != fashion_OK)
    return 1;
  atomic_store(&counting, 0);
  report("create");
  /* Otherwise the counters are not in the way. */
  if (!memory || !mappings || !files || !threads)
    return 1;

  memory = mappings = files = locks = threads = 0;
  atomic_store(&counting, 1);
  for (int i = 0; i < 20; ++i)
    if (fashion_run(context, &image, 1, logits) != fashion_OK ||
        fashion_run_tensor(context, tensor, 1, logits) != fashion_OK)
      return 1;
  fashion_run(context, NULL, 1,
              logits); /* a wrong call allocates nothing, either */
  atomic_store(&counting, 0);
  report("run");
  int asked = memory + mappings + files + locks + threads;
  fashion_destroy(context);
  return asked != 0;
}
