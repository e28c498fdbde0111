/* The allocator behind a library that defines malloc and its kin itself, whichever the program has.
 *
 * dlsym may allocate a little before it can tell where the real functions are. Such blocks come from a small pool and
 * are never given back. The functions are found by a constructor, while there is one thread only, unless a constructor
 * of another library allocates before.
 */
#ifndef STRIDEWISE_REAL_ALLOCATOR_H
#define STRIDEWISE_REAL_ALLOCATOR_H

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void (*free)(void *); /* the last one that is found */
} sw_real;

static char sw_early[1 << 14] __attribute__((aligned(16)));

/* Zeroed; NULL when the pool is used up. */
static void *sw_early_block(size_t bytes) {
  static size_t used;
  size_t begin = (used + 15) & ~(size_t)15;
  if (begin > sizeof sw_early || bytes > sizeof sw_early - begin)
    return NULL;
  used = begin + bytes;
  return sw_early + begin;
}

static int sw_is_early(const void *block) {
  return (const char *)block >= sw_early && (const char *)block < sw_early + sizeof sw_early;
}

/* What `realloc` gives for a block of the pool, or for NULL while nothing is found yet. */
static void *sw_moved_from_early(const void *block, size_t bytes) {
  void *moved = sw_real.malloc ? sw_real.malloc(bytes) : sw_early_block(bytes);
  if (moved && block) {
    size_t left = (size_t)(sw_early + sizeof sw_early - (const char *)block);
    memcpy(moved, block, bytes < left ? bytes : left);
  }
  return moved;
}

static void sw_find_allocator(void) {
  static int searching;
  if (sw_real.free || searching)
    return;
  searching = 1;
  *(void **)&sw_real.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&sw_real.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&sw_real.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&sw_real.memalign = dlsym(RTLD_NEXT, "memalign");
  *(void **)&sw_real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void **)&sw_real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void **)&sw_real.free = dlsym(RTLD_NEXT, "free");
  searching = 0;
}

__attribute__((constructor)) static void sw_find_allocator_at_start(void) {
  int error = errno;
  sw_find_allocator();
  errno = error;
}

#endif
