/* Tells the MPI recorder of each allocation, for `stridewise run --memory` and `stridewise scale`.
 *
 * The allocation functions are defined here in front of the allocator's. Which of them is behind does not matter: each
 * call is passed on, and its size and place are told to the recorder, if there is one in the process and it records.
 * What becomes of the block is not followed, so that freeing costs nothing. */
#include "../common/real_allocator.h"
#include <stdint.h>

#define SW_API __attribute__((visibility("default")))
/* Of the caller of an allocation function, as the recorder takes it. */
#define SW_TELL(bytes) tell((bytes), (uint64_t)(uintptr_t)__builtin_return_address(0), __builtin_dwarf_cfa())

/* pmpi_wrappers/effects.c; not there in processes without the recorder. */
extern void stridewise_allocated(uint64_t bytes, uint64_t pc, const void *cfa) __attribute__((weak));

static inline void tell(uint64_t bytes, uint64_t pc, const void *cfa) {
  if (stridewise_allocated)
    stridewise_allocated(bytes, pc, cfa);
}

SW_API void *malloc(size_t bytes) {
  if (__builtin_expect(!sw_real.malloc, 0)) {
    sw_find_allocator();
    if (!sw_real.malloc)
      return sw_early_block(bytes);
  }
  void *block = sw_real.malloc(bytes);
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API void *calloc(size_t count, size_t bytes) {
  if (__builtin_expect(!sw_real.calloc, 0)) {
    sw_find_allocator();
    if (!sw_real.calloc) /* still zero: nothing of it is ever used again */
      return sw_early_block(count * bytes);
  }
  void *block = sw_real.calloc(count, bytes);
  if (block) /* so the product is in range */
    SW_TELL(count * bytes);
  return block;
}

SW_API void free(void *block) {
  if (sw_is_early(block))
    return;
  sw_find_allocator();
  if (sw_real.free)
    sw_real.free(block);
}

SW_API void *realloc(void *block, size_t bytes) {
  sw_find_allocator();
  if (!sw_real.realloc || sw_is_early(block))
    return sw_moved_from_early(block, bytes);
  void *moved = sw_real.realloc(block, bytes);
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
  sw_find_allocator();
  if (!sw_real.realloc || sw_is_early(block))
    return sw_moved_from_early(block, all);
  void *moved = sw_real.realloc(block, all);
  if (moved)
    SW_TELL(all);
  return moved;
}

SW_API void *memalign(size_t alignment, size_t bytes) {
  sw_find_allocator();
  void *block = sw_real.memalign ? sw_real.memalign(alignment, bytes) : NULL;
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API void *aligned_alloc(size_t alignment, size_t bytes) {
  sw_find_allocator();
  void *block = sw_real.aligned_alloc ? sw_real.aligned_alloc(alignment, bytes) : NULL;
  if (block)
    SW_TELL(bytes);
  return block;
}

SW_API int posix_memalign(void **block, size_t alignment, size_t bytes) {
  sw_find_allocator();
  int error = sw_real.posix_memalign ? sw_real.posix_memalign(block, alignment, bytes) : ENOMEM;
  if (!error)
    SW_TELL(bytes);
  return error;
}
