/* The allocation functions, and the table of big blocks. Small blocks cost a comparison; freeing one a bit test. */
#include "../common/real_allocator.h"
#include "placement.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

struct sw_site sw_sites[SW_SITES];
struct sw_allocation sw_allocations[SW_ALLOCATIONS];
_Atomic int sw_site_count, sw_allocation_limit;
_Atomic uint64_t sw_lost_allocations;
size_t sw_least_bytes = 1 << 20;
__thread int sw_inside __attribute__((tls_model("initial-exec")));

static _Atomic int lock_word;

/* No mutex: the library's own calls must not depend on what the program does with its threads. */
void sw_lock(void) {
  int free_word = 0;
  while (!atomic_compare_exchange_weak(&lock_word, &free_word, 1)) {
    free_word = 0;
    syscall(SYS_sched_yield);
  }
}

void sw_unlock(void) { atomic_store(&lock_word, 0); }

/* --- the real functions ---------------------------------------------------------------------------------------------
 */

static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static int (*real_munmap)(void *, size_t);

static void resolve(void) {
  sw_find_allocator();
  if (real_munmap)
    return;
  *(void **)&real_mmap = dlsym(RTLD_NEXT, "mmap");
  *(void **)&real_munmap = dlsym(RTLD_NEXT, "munmap");
}

/* --- the table ------------------------------------------------------------------------------------------------------
 */

/* A bit for the first page of each block, by a hash: most frees are told from big ones by it alone. */
static _Atomic uint64_t marks[1024];

static _Atomic uint64_t *mark_of(uintptr_t begin, uint64_t *bit) {
  uint64_t hash = (begin >> 12) * 0x9e3779b97f4a7c15u;
  *bit = 1ull << (hash >> 58);
  return &marks[(hash >> 48) & 1023];
}

struct trace {
  uintptr_t callers[SW_DEPTH];
  int depth;
};

static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *into) {
  struct trace *trace = into;
  uintptr_t at = _Unwind_GetIP(context);
  if (!at || trace->depth == SW_DEPTH)
    return _URC_END_OF_STACK;
  trace->callers[trace->depth++] = at;
  return _URC_NO_REASON;
}

/* Which call path; -1 if there is no room. Called under the lock. */
static int site_of(const struct trace *trace) {
  int count = atomic_load(&sw_site_count);
  for (int i = 0; i < count; ++i)
    if (!sw_sites[i].name && sw_sites[i].depth == trace->depth &&
        !memcmp(sw_sites[i].callers, trace->callers, (size_t)trace->depth * sizeof *trace->callers))
      return i;
  if (count == SW_SITES)
    return -1;
  memcpy(sw_sites[count].callers, trace->callers, sizeof trace->callers);
  sw_sites[count].depth = trace->depth;
  atomic_store(&sw_site_count, count + 1);
  return count;
}

/* Called under the lock. */
static void enter(int site, uintptr_t begin, size_t bytes) {
  int limit = atomic_load(&sw_allocation_limit), place = 0;
  while (place < limit && atomic_load(&sw_allocations[place].end))
    ++place;
  if (site < 0 || place == SW_ALLOCATIONS) {
    sw_lost_allocations++;
    return;
  }
  /* What was freed unseen (by another library's own ways) is gone if its memory is given out again. */
  for (int i = 0; i < limit; ++i) {
    struct sw_allocation *old = &sw_allocations[i];
    if (atomic_load(&old->end) > begin && atomic_load(&old->begin) < begin + bytes && !sw_sites[old->site].name) {
      sw_sites[old->site].alive--;
      atomic_store(&old->end, 0);
      atomic_store(&old->begin, 0);
    }
  }
  struct sw_site *of = &sw_sites[site];
  of->allocations++, of->alive++, of->bytes += bytes;
  if (bytes > of->largest)
    of->largest = bytes;
  sw_allocations[place].site = site;
  atomic_store(&sw_allocations[place].begin, begin);
  atomic_store(&sw_allocations[place].end, begin + bytes);
  if (place == limit)
    atomic_store(&sw_allocation_limit, limit + 1);
  uint64_t bit;
  _Atomic uint64_t *mark = mark_of(begin, &bit);
  *mark |= bit;
}

/* Fresh memory has no pages yet. Where most are there, an allocator has given out again what others have used, and who
 * writes it first now no longer matters. */
static void check_new(struct sw_site *site, uintptr_t begin, size_t bytes) {
  enum { Looked = 16 };
  void *pages[Looked];
  int nodes[Looked], present = 0;
  for (size_t i = 0; i < Looked; ++i)
    pages[i] = (void *)((begin + bytes / Looked * i + bytes / Looked / 2) & ~(uintptr_t)4095);
  if (sw_nodes_of(Looked, pages, nodes))
    return;
  for (size_t i = 0; i < Looked; ++i)
    present += nodes[i] >= 0;
  site->checked++;
  site->recycled += present > Looked / 2;
}

__attribute__((noinline)) static void track(void *block, size_t bytes) {
  if (!block || bytes < sw_least_bytes || sw_inside)
    return;
  int error = errno;
  sw_inside++;
  struct trace trace = {.depth = 0};
  _Unwind_Backtrace(collect, &trace);
  /* The innermost two are this function and the wrapper. */
  int own = trace.depth < 2 ? trace.depth : 2;
  memmove(trace.callers, trace.callers + own, (size_t)(trace.depth - own) * sizeof *trace.callers);
  memset(trace.callers + trace.depth - own, 0, (size_t)own * sizeof *trace.callers);
  trace.depth -= own;
  sw_lock();
  int site = site_of(&trace);
  enter(site, (uintptr_t)block, bytes);
  if (site >= 0 && sw_sites[site].checked < SW_CHECKS)
    check_new(&sw_sites[site], (uintptr_t)block, bytes);
  sw_unlock();
  sw_sampler_consider();
  sw_inside--;
  errno = error;
}

/* Before the block goes, whoever gets its address next. */
static void untrack(const void *block) {
  uint64_t bit;
  uintptr_t begin = (uintptr_t)block;
  _Atomic uint64_t *mark = mark_of(begin, &bit);
  if (!begin || !(atomic_load_explicit(mark, memory_order_relaxed) & bit) || sw_inside)
    return;
  int error = errno;
  sw_inside++;
  sw_lock();
  for (int i = 0; i < atomic_load(&sw_allocation_limit); ++i) {
    struct sw_allocation *one = &sw_allocations[i];
    if (atomic_load(&one->begin) != begin || !atomic_load(&one->end) || sw_sites[one->site].name)
      continue;
    if (sw_sites[one->site].surveys < SW_SURVEYS)
      sw_survey(one);
    sw_sites[one->site].alive--;
    atomic_store(&one->end, 0);
    atomic_store(&one->begin, 0);
    break;
  }
  sw_unlock();
  sw_inside--;
  errno = error;
}

struct sw_allocation *sw_find(uintptr_t address) {
  int limit = atomic_load_explicit(&sw_allocation_limit, memory_order_relaxed);
  for (int i = 0; i < limit; ++i)
    if (address >= atomic_load_explicit(&sw_allocations[i].begin, memory_order_relaxed) &&
        address < atomic_load_explicit(&sw_allocations[i].end, memory_order_relaxed))
      return &sw_allocations[i];
  return NULL;
}

void sw_add_static(const char *name, uintptr_t begin, size_t bytes) {
  int count = atomic_load(&sw_site_count);
  if (count == SW_SITES)
    return;
  sw_sites[count].name = name;
  atomic_store(&sw_site_count, count + 1);
  enter(count, begin, bytes);
}

/* Pages that the kernel's NUMA balancing has marked look absent until they are read. The kernel reads them here, since
 * it only fails where the program has protected a page. One that nobody has written stays absent. */
static void read_absent(size_t count, void **pages, int *nodes) {
  int absent = 0;
  for (size_t i = 0; i < count; ++i) {
    char byte;
    struct iovec here = {&byte, 1}, there = {pages[i], 1};
    if (nodes[i] < 0)
      absent += process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
  }
  if (absent)
    (void)sw_nodes_of(count, pages, nodes);
}

void sw_survey(const struct sw_allocation *allocation) {
  struct sw_site *site = &sw_sites[allocation->site];
  uintptr_t begin = atomic_load(&allocation->begin), bytes = atomic_load(&allocation->end) - begin;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = bytes / page, count = all < SW_SURVEYED ? all : SW_SURVEYED;
  void *pages[SW_SURVEYED];
  int nodes[SW_SURVEYED];
  for (size_t i = 0; i < count; ++i)
    pages[i] = (void *)((begin + i * all / count * page + page / 2) & ~(uintptr_t)(page - 1));
  if (!count || sw_nodes_of(count, pages, nodes))
    return;
  read_absent(count, pages, nodes);
  site->surveys++;
  for (size_t i = 0; i < count; ++i) {
    site->pages_seen++;
    if (nodes[i] < 0)
      site->pages_absent++;
    else
      site->pages[nodes[i] < SW_NODES ? nodes[i] : SW_NODES - 1]++;
  }
}

int sw_nodes_of(size_t count, void **pages, int *nodes) {
  return syscall(SYS_move_pages, 0, count, pages, NULL, nodes, 0) == 0 ? 0 : -1;
}

/* --- what the program calls ------------------------------------------------------------------------------------------
 */

SW_API void *malloc(size_t bytes) {
  if (__builtin_expect(!sw_real.malloc, 0)) {
    resolve();
    if (!sw_real.malloc)
      return sw_early_block(bytes);
  }
  if (__builtin_expect(bytes < sw_least_bytes, 1))
    return sw_real.malloc(bytes);
  sw_inside++; /* an allocator that maps memory is not to be counted twice */
  void *block = sw_real.malloc(bytes);
  sw_inside--;
  track(block, bytes);
  return block;
}

SW_API void *calloc(size_t count, size_t bytes) {
  if (__builtin_expect(!sw_real.calloc, 0)) {
    resolve();
    if (!sw_real.calloc) /* still zero: nothing of it is ever used again */
      return sw_early_block(count * bytes);
  }
  size_t all;
  int big = !__builtin_mul_overflow(count, bytes, &all) && all >= sw_least_bytes;
  sw_inside += big;
  void *block = sw_real.calloc(count, bytes);
  sw_inside -= big;
  if (big)
    track(block, all);
  return block;
}

SW_API void free(void *block) {
  if (sw_is_early(block))
    return;
  resolve();
  untrack(block);
  if (sw_real.free)
    sw_real.free(block);
}

SW_API void *realloc(void *block, size_t bytes) {
  resolve();
  if (!sw_real.realloc || sw_is_early(block))
    return sw_moved_from_early(block, bytes);
  untrack(block);
  int big = bytes >= sw_least_bytes;
  sw_inside += big;
  void *moved = sw_real.realloc(block, bytes);
  sw_inside -= big;
  if (big)
    track(moved, bytes); /* one that failed keeps the old block, of which no more is known */
  return moved;
}

/* glibc's own would not come by here. */
SW_API void *reallocarray(void *block, size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, all);
}

SW_API void *memalign(size_t alignment, size_t bytes) {
  resolve();
  int big = bytes >= sw_least_bytes;
  sw_inside += big;
  void *block = sw_real.memalign ? sw_real.memalign(alignment, bytes) : NULL;
  sw_inside -= big;
  if (big)
    track(block, bytes);
  return block;
}

SW_API void *aligned_alloc(size_t alignment, size_t bytes) {
  resolve();
  int big = bytes >= sw_least_bytes;
  sw_inside += big;
  void *block = sw_real.aligned_alloc ? sw_real.aligned_alloc(alignment, bytes) : NULL;
  sw_inside -= big;
  if (big)
    track(block, bytes);
  return block;
}

SW_API int posix_memalign(void **block, size_t alignment, size_t bytes) {
  resolve();
  int big = bytes >= sw_least_bytes;
  sw_inside += big;
  int status = sw_real.posix_memalign ? sw_real.posix_memalign(block, alignment, bytes) : ENOMEM;
  sw_inside -= big;
  if (big && !status)
    track(*block, bytes);
  return status;
}

__attribute__((always_inline)) static inline void *map(void *where, size_t bytes, int protection, int flags, int file,
                                                       off_t offset) {
  resolve();
  void *block = real_mmap ? real_mmap(where, bytes, protection, flags, file, offset)
                          : (void *)syscall(SYS_mmap, where, bytes, protection, flags, file, offset);
  if (block != MAP_FAILED && (flags & MAP_ANONYMOUS) && !(flags & MAP_STACK) && (protection & PROT_WRITE))
    track(block, bytes);
  return block;
}

SW_API void *mmap(void *where, size_t bytes, int protection, int flags, int file, off_t offset) {
  return map(where, bytes, protection, flags, file, offset);
}

SW_API void *mmap64(void *where, size_t bytes, int protection, int flags, int file, off_t offset) {
  return map(where, bytes, protection, flags, file, offset);
}

SW_API int munmap(void *where, size_t bytes) {
  resolve();
  untrack(where);
  return real_munmap ? real_munmap(where, bytes) : (int)syscall(SYS_munmap, where, bytes);
}
