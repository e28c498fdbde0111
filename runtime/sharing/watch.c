/* The accesses of a thread: windows, and the table of the lines that it touched lately. See sharing.h. */
#include "sharing.h"
#include <string.h>
#include <sys/mman.h>
#include <time.h>

SW_API __thread struct sw_sharing_state __stridewise_sharing_state
    __attribute__((tls_model("initial-exec"))) = {0, ~UINT64_C(0), ~UINT64_C(0), 0};
static __thread struct sw_thread *self __attribute__((tls_model("initial-exec")));

uint64_t sw_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 3000000000u + (uint64_t)now.tv_nsec * 3u;
#endif
}

struct sw_thread *sw_self(void) {
  if (!self) {
    void *memory = mmap(NULL, sizeof(struct sw_thread), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return NULL;
    self = memory;
    self->state = &__stridewise_sharing_state;
  }
  return self;
}

void sw_forget_self(void) {
  if (self && !self->context.team)
    munmap(self, sizeof(*self));
  self = NULL;
}

void sw_begin_epoch(struct sw_thread *t) {
  t->context.windows = 0;
  t->context.window_begin = 0;
  t->context.window_end = SW_WINDOW;
  t->until_tick = 1;
  t->state->clock = 0;
  t->state->turn = SW_WINDOW;
  t->state->mask = 0;
  t->state->watching = t->context.level;
}

void sw_stop(struct sw_thread *t) {
  t->state->watching = 0;
  t->state->mask = ~UINT64_C(0);
  t->state->turn = ~UINT64_C(0);
}

SW_API void __stridewise_sharing_turn(void) {
  struct sw_thread *t = self;
  if (!t || !t->context.team) {
    __stridewise_sharing_state.turn = ~UINT64_C(0);
    return;
  }
  struct sw_sharing_state *s = t->state;
  if (t->context.window_end) {
    t->context.windows += s->clock - t->context.window_begin;
    uint64_t begin = t->context.window_begin, next = begin ? begin * 4 : SW_WINDOW * 4;
    t->context.window_begin = next < begin + SW_FARTHEST ? next : begin + SW_FARTHEST;
    t->context.window_end = 0;
    s->turn = t->context.window_begin;
    s->mask = SW_THIN_MASK;
  } else {
    t->context.window_begin = s->clock;
    t->context.window_end = s->turn = s->clock + SW_WINDOW;
    s->mask = 0;
  }
}

/* The first function of a named line that the thread enters in a region. */
SW_API void __stridewise_sharing_named(void) {
  struct sw_thread *t = self;
  if (!t || !t->context.team)
    return;
  t->context.level = t->state->watching = SW_ALL;
  atomic_store_explicit(&sw_regions[t->context.team->region].named, true, memory_order_relaxed);
}

static void empty(struct sw_thread *t, struct sw_record *r) {
  if (r->line) {
    sw_log(t->context.team, r);
    r->line = 0;
    t->held--;
  }
}

void sw_flush(struct sw_thread *t) {
  if (!t->held || !t->context.team)
    return;
  for (unsigned set = 0; set < SW_SETS; ++set)
    for (unsigned way = 0; way < SW_WAYS; ++way)
      empty(t, &t->table[set][way]);
}

static struct sw_record *find(struct sw_thread *t, uint64_t line) {
  struct sw_record *set = t->table[sw_hash(line) >> 40 & (SW_SETS - 1)];
  struct sw_record *victim = set;
  for (unsigned way = 0; way < SW_WAYS; ++way) {
    if (set[way].line == line)
      return &set[way];
    if (!set[way].line || (victim->line && set[way].last < victim->last))
      victim = &set[way];
  }
  empty(t, victim);
  memset(victim, 0, sizeof(*victim));
  victim->line = line;
  victim->first = t->state->clock;
  victim->first_tick = t->tick;
  victim->member = (uint16_t)t->context.member;
  victim->epoch = t->context.epoch;
  t->held++;
  return victim;
}

static void count_site(struct sw_record *r, uint64_t pc) {
  struct sw_site *least = r->sites;
  for (unsigned i = 0; i < SW_SITES; ++i) {
    if (r->sites[i].pc == pc) {
      r->sites[i].count++;
      return;
    }
    if (r->sites[i].count < least->count)
      least = &r->sites[i];
  }
  /* Metwally's space saving: what is frequent stays. */
  least->pc = pc;
  least->count++;
}

static void touch(struct sw_thread *t, uint64_t line, uint64_t bytes, bool store, uint64_t pc) {
  if (--t->until_tick == 0) {
    t->tick = sw_ticks();
    t->until_tick = 64;
  }
  struct sw_record *r = find(t, line);
  uint64_t now = t->state->clock;
  bool known = r->reads | r->writes;
  /* The store of an update finds the line where the load before it has put it. */
  if (known && now - r->last <= SW_REUSE && !(store && r->last_was_load && now - r->last <= 16))
    r->reuses++;
  r->last = now;
  r->last_tick = t->tick;
  r->last_was_load = !store;
  if (store) {
    r->written |= bytes;
    r->writes++;
  } else {
    r->read |= bytes;
    r->reads++;
  }
  count_site(r, store ? pc | SW_STORE_BIT : pc);
}

static inline uint64_t low_bits(uint64_t n) { return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1; }

static inline void access_range(uint64_t address, uint64_t size, bool store, uint64_t pc) {
  struct sw_thread *t = self;
  if (SW_RARE(!t || !t->context.team || !size))
    return;
  uint64_t mask = t->state->mask;
  while (size) {
    uint64_t within = address & (SW_LINE_BYTES - 1);
    uint64_t here = SW_LINE_BYTES - within < size ? SW_LINE_BYTES - within : size;
    uint64_t line = address >> SW_LINE_SHIFT;
    if ((sw_hash(line) & mask) == 0)
      touch(t, line, low_bits(here) << within, store, pc);
    address += here;
    size -= here;
  }
}

SW_API void __stridewise_sharing_load(const void *address, uint64_t size) {
  access_range((uint64_t)(uintptr_t)address, size, false, (uint64_t)(uintptr_t)__builtin_return_address(0));
}

SW_API void __stridewise_sharing_store(const void *address, uint64_t size) {
  access_range((uint64_t)(uintptr_t)address, size, true, (uint64_t)(uintptr_t)__builtin_return_address(0));
}
