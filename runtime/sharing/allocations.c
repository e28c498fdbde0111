/* Where the program's blocks of memory come from: malloc and its kin, passed on to the next definition.
 *
 * A block is known by its start, in a table of fixed size; finding the block around an address goes through all of it,
 * which only happens for the few objects in conflict. What finds no room is counted. Return addresses of the callers
 * are taken for large blocks and for the first ones of each caller; of the others, only the caller.
 */
#include "sharing.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 64, SLOTS = 8192, PROBES = 64, STACKS = 32768, LARGE = 4096, FIRST = 1000 };

struct block {
  uint64_t begin, size;
  uint32_t stack;
};
static struct block blocks[SHARDS][SLOTS];
static atomic_flag locks[SHARDS];
static uint64_t stacks[STACKS][SW_FRAMES];
static atomic_flag stacks_lock = ATOMIC_FLAG_INIT;
static atomic_uint seen[4096];
static __thread int inside __attribute__((tls_model("initial-exec")));
static uintptr_t stack_low, stack_high;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static struct {
  void *(*malloc)(size_t), *(*calloc)(size_t, size_t), *(*realloc)(void *, size_t);
  void *(*aligned_alloc)(size_t, size_t), *(*memalign)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
  void (*free)(void *);
} next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign, __libc_memalign, NULL, __libc_free};

__attribute__((constructor(101))) static void resolve(void) {
  inside++;
  void *found;
#define RESOLVE(name)                                                                                                  \
  if ((found = dlsym(RTLD_NEXT, #name)))                                                                               \
  *(void **)&next.name = found
  RESOLVE(malloc);
  RESOLVE(calloc);
  RESOLVE(realloc);
  RESOLVE(aligned_alloc);
  RESOLVE(memalign);
  RESOLVE(posix_memalign);
  RESOLVE(free);
#undef RESOLVE
  void *frames[2];
  backtrace(frames, 2); /* loads the unwinder, which allocates */
  pthread_attr_t attributes;
  void *base;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &base, &size) == 0) {
      stack_low = (uintptr_t)base;
      stack_high = stack_low + size;
    }
    pthread_attr_destroy(&attributes);
  }
  inside--;
}

static uint32_t stack_of(const void *caller, size_t size) {
  uint64_t frames[SW_FRAMES] = {(uint64_t)(uintptr_t)caller};
  if (size >= LARGE || atomic_fetch_add(&seen[sw_hash(frames[0]) >> 52], 1) < FIRST) {
    void *all[SW_FRAMES + 4];
    int count = backtrace(all, SW_FRAMES + 4), first = 0;
    while (first < count && all[first] != caller)
      first++;
    for (int i = first, n = 0; i < count && n < SW_FRAMES; ++i, ++n)
      frames[n] = (uint64_t)(uintptr_t)all[i];
  }
  uint64_t hash = 0;
  for (unsigned i = 0; i < SW_FRAMES; ++i)
    hash = sw_hash(hash ^ frames[i]) ^ hash >> 29;
  uint32_t found = 0;
  sw_lock(&stacks_lock);
  for (uint32_t n = 0; n < PROBES; ++n) {
    uint32_t at = (uint32_t)((sw_hash(hash) >> 32) + n) % STACKS;
    if (!stacks[at][0])
      memcpy(stacks[at], frames, sizeof(frames));
    if (!memcmp(stacks[at], frames, sizeof(frames))) {
      found = at;
      break;
    }
  }
  sw_unlock(&stacks_lock);
  return found;
}

static unsigned shard_of(uint64_t begin) { return (unsigned)(sw_hash(begin >> 4) >> 58); }
static uint32_t slot_of(uint64_t begin) { return (uint32_t)(sw_hash(begin >> 4) >> 40) % SLOTS; }

static void remember(void *pointer, size_t size, const void *caller) {
  if (!pointer || !sw_enabled() || inside)
    return;
  inside++;
  int error = errno;
  uint64_t begin = (uint64_t)(uintptr_t)pointer;
  uint32_t stack = stack_of(caller, size), slot = slot_of(begin);
  unsigned shard = shard_of(begin);
  bool done = false;
  sw_lock(&locks[shard]);
  for (uint32_t n = 0; n < PROBES && !done; ++n) {
    struct block *b = &blocks[shard][(slot + n) % SLOTS];
    if (b->begin <= 1 || b->begin == begin) {
      *b = (struct block){begin, size ? size : 1, stack};
      done = true;
    }
  }
  sw_unlock(&locks[shard]);
  if (!done)
    atomic_fetch_add(&sw_lost.blocks, 1);
  errno = error;
  inside--;
}

/* A slot that was freed holds 1: a search goes on behind it, and a new block may have it. */
static void forget(void *pointer) {
  if (!pointer || !sw_enabled())
    return;
  uint64_t begin = (uint64_t)(uintptr_t)pointer;
  uint32_t slot = slot_of(begin);
  unsigned shard = shard_of(begin);
  sw_lock(&locks[shard]);
  for (uint32_t n = 0; n < PROBES; ++n) {
    struct block *b = &blocks[shard][(slot + n) % SLOTS];
    if (!b->begin)
      break;
    if (b->begin == begin) {
      b->begin = blocks[shard][(slot + n + 1) % SLOTS].begin ? 1 : 0;
      b->size = 0;
      break;
    }
  }
  sw_unlock(&locks[shard]);
}

bool sw_is_block(uint64_t begin, uint64_t size) {
  uint32_t slot = slot_of(begin);
  unsigned shard = shard_of(begin);
  bool found = false;
  sw_lock(&locks[shard]);
  for (uint32_t n = 0; n < PROBES; ++n) {
    const struct block *b = &blocks[shard][(slot + n) % SLOTS];
    if (!b->begin)
      break;
    if (b->begin == begin) {
      found = b->size == size;
      break;
    }
  }
  sw_unlock(&locks[shard]);
  return found;
}

bool sw_find_block(uint64_t address, struct sw_object *out) {
  memset(out, 0, sizeof(*out));
  for (unsigned shard = 0; shard < SHARDS; ++shard) {
    sw_lock(&locks[shard]);
    for (uint32_t i = 0; i < SLOTS; ++i) {
      const struct block *b = &blocks[shard][i];
      if (b->begin > 1 && address - b->begin < b->size) {
        out->place = SW_PLACE_HEAP;
        out->begin = b->begin;
        out->size = b->size;
        memcpy(out->callers, stacks[b->stack], sizeof(out->callers));
        sw_unlock(&locks[shard]);
        return true;
      }
    }
    sw_unlock(&locks[shard]);
  }
  out->begin = address;
  if (address - stack_low < stack_high - stack_low)
    out->place = SW_PLACE_STACK;
  return false;
}

#define CALLER __builtin_return_address(0)

SW_API void *malloc(size_t size) {
  void *p = next.malloc(size);
  remember(p, size, CALLER);
  return p;
}

SW_API void *calloc(size_t count, size_t size) {
  void *p = next.calloc(count, size);
  remember(p, count * size, CALLER);
  return p;
}

SW_API void *realloc(void *old, size_t size) {
  forget(old);
  void *p = next.realloc(old, size);
  remember(p, size, CALLER);
  return p;
}

SW_API void *aligned_alloc(size_t alignment, size_t size) {
  void *p = next.aligned_alloc(alignment, size);
  remember(p, size, CALLER);
  return p;
}

SW_API void *memalign(size_t alignment, size_t size) {
  void *p = next.memalign(alignment, size);
  remember(p, size, CALLER);
  return p;
}

SW_API int posix_memalign(void **out, size_t alignment, size_t size) {
  int status = next.posix_memalign ? next.posix_memalign(out, alignment, size) : ENOMEM;
  if (status == 0)
    remember(*out, size, CALLER);
  return status;
}

SW_API void free(void *pointer) {
  forget(pointer);
  next.free(pointer);
}

/* C++'s operators call malloc from inside their library: who called them matters. They may throw. */
#define OPERATOR(name, parameters, arguments)                                                                          \
  SW_API void *name parameters {                                                                                       \
    static void *(*real)parameters;                                                                                    \
    if (SW_RARE(!real))                                                                                                \
      *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                       \
    int nested = inside;                                                                                               \
    inside = 1;                                                                                                        \
    struct leave restore __attribute__((cleanup(leave))) = {nested};                                                   \
    void *p = real arguments;                                                                                          \
    inside = nested;                                                                                                   \
    remember(p, size, CALLER);                                                                                         \
    return p;                                                                                                          \
  }

struct leave {
  int nested;
};
static void leave(struct leave *before) { inside = before->nested; }

OPERATOR(_Znwm, (size_t size), (size))
OPERATOR(_Znam, (size_t size), (size))
OPERATOR(_ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))
OPERATOR(_ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))
OPERATOR(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
OPERATOR(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
