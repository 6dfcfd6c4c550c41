#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// What glibc's own malloc and its like are called besides.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *piece, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// A counter for each thread that ever asked, so that counting shares nothing. Threads beyond these share the last one.
enum { COUNTERS = 256 };

struct counter {
  atomic_int thread;
  atomic_ulong count;
};

static struct counter counters[COUNTERS];
static _Thread_local struct counter *mine;

static struct counter *claim(void) {
  int thread = (int)syscall(SYS_gettid);
  for (int i = 0; i < COUNTERS - 1; i++) {
    int nobody = 0;
    if (atomic_compare_exchange_strong(&counters[i].thread, &nobody, thread)) return &counters[i];
  }
  return &counters[COUNTERS - 1];
}

static void count(void) {
  if (mine == NULL) mine = claim();
  atomic_fetch_add_explicit(&mine->count, 1, memory_order_relaxed);
}

unsigned long allocations_of_this_thread(void) {
  return mine == NULL ? 0 : atomic_load_explicit(&mine->count, memory_order_relaxed);
}

unsigned long allocations_of_thread(int thread) {
  for (int i = 0; i < COUNTERS - 1; i++) {
    if (atomic_load(&counters[i].thread) == thread) {
      return atomic_load_explicit(&counters[i].count, memory_order_relaxed);
    }
  }
  return 0;
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *piece, size_t size) {
  count();
  return __libc_realloc(piece, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **piece, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *found = memalign(alignment, size);
  if (found == NULL) return ENOMEM;
  *piece = found;
  return 0;
}
