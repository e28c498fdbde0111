/* Tells the MPI recorder of each allocation, for `stridewise run --memory` and `stridewise scale`.
 *
 * The allocation functions are defined here in front of the allocator's. Which of them is behind does not matter: each
 * call is passed on, and its size and place are told to the recorder, if there is one in the process and it records.
 * What becomes of the block is not followed, so that freeing costs nothing. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SW_API __attribute__((visibility("default")))
/* Of the caller of an allocation function, as the recorder takes it. */
#define SW_TELL(bytes) tell((bytes), (uint64_t)(uintptr_t)__builtin_return_address(0), __builtin_dwarf_cfa())

/* pmpi_wrappers/effects.c; not there in processes without the recorder. */
extern void stridewise_allocated(uint64_t bytes, uint64_t pc, const void *cfa) __attribute__((weak));

static inline void tell(uint64_t bytes, uint64_t pc, const void *cfa) {
  if (stridewise_allocated)
    stridewise_allocated(bytes, pc, cfa);
}

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
static void *(*real_memalign)(size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);

/* dlsym itself may allocate a little before it can tell where the real functions are; that is never given back. */
static char early[1 << 14] __attribute__((aligned(16)));
static size_t early_used;
static int resolving;

static void *early_block(size_t bytes) {
  size_t begin = (early_used + 15) & ~(size_t)15;
  if (bytes > sizeof early || begin > sizeof early - bytes)
    return NULL;
  early_used = begin + bytes;
  return early + begin;
}

static int is_early(const void *block) {
  return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void resolve(void) {
  if (real_free || resolving)
    return;
  resolving = 1;
  *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&real_memalign = dlsym(RTLD_NEXT, "memalign");
  *(void **)&real_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void **)&real_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void **)&real_free = dlsym(RTLD_NEXT, "free");
  resolving = 0;
}

/* While there is one thread only. */
__attribute__((constructor)) static void resolve_functions(void) {
  int error = errno;
  resolve();
  errno = error;
}

SW_API void *malloc(size_t bytes) {
  if (__builtin_expect(!real_malloc, 0)) {
    resolve();
    if (!real_malloc)
      return early_block(bytes);
  }
  void *block = real_malloc(bytes);
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API void *calloc(size_t count, size_t bytes) {
  if (__builtin_expect(!real_calloc, 0)) {
    resolve();
    if (!real_calloc) /* still zero: nothing of it is ever used again */
      return early_block(count * bytes);
  }
  void *block = real_calloc(count, bytes);
  if (block) /* so the product is in range */
    SW_TELL(count * bytes);
  return block;
}

SW_API void free(void *block) {
  if (is_early(block))
    return;
  resolve();
  if (real_free)
    real_free(block);
}

static void *moved_from_early(const void *block, size_t bytes) {
  void *moved = real_malloc ? real_malloc(bytes) : early_block(bytes);
  if (moved && block) {
    size_t left = (size_t)(early + sizeof early - (const char *)block);
    memcpy(moved, block, bytes < left ? bytes : left);
  }
  return moved;
}

SW_API void *realloc(void *block, size_t bytes) {
  resolve();
  if (!real_realloc || is_early(block))
    return moved_from_early(block, bytes);
  void *moved = real_realloc(block, bytes);
  if (moved)
    SW_TELL(bytes);
  return moved;
}

/* glibc's own would not come by here. */
SW_API void *reallocarray(void *block, size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  resolve();
  if (!real_realloc || is_early(block))
    return moved_from_early(block, all);
  void *moved = real_realloc(block, all);
  if (moved)
    SW_TELL(all);
  return moved;
}

SW_API void *memalign(size_t alignment, size_t bytes) {
  resolve();
  void *block = real_memalign ? real_memalign(alignment, bytes) : NULL;
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API void *aligned_alloc(size_t alignment, size_t bytes) {
  resolve();
  void *block = real_aligned_alloc ? real_aligned_alloc(alignment, bytes) : NULL;
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API int posix_memalign(void **block, size_t alignment, size_t bytes) {
  resolve();
  int error = real_posix_memalign ? real_posix_memalign(block, alignment, bytes) : ENOMEM;
  if (!error)
    SW_TELL(bytes);
  return error;
}
