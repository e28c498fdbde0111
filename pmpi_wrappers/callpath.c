/* The path of callers of an MPI call, at the cost of one load and one table look-up per frame.
 *
 * For a return address inside a function of fixed frame size, the distance between the stack pointer there and the
 * place of the function's own return address never changes. It is learned once from the unwinder; afterwards a walk
 * needs the distance only. What it loads must again be a known return address. Functions whose distance changes
 * (alloca, variable-length arrays) are found by walking every SW_VERIFY-th path with the unwinder, too, and are always
 * unwound from then on.
 *
 * The latest paths of a call site are kept, and with each path the stack offsets of its return addresses. To recognise
 * one again takes loads that do not wait for each other.
 *
 * Threads look up without a lock: what a table leads to is written before the entry that leads there, and stays.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <link.h>
#include <string.h>
#include <unwind.h>

#define SW_UNWIND_DEPTH 64
#define SW_VERIFY 1024u
#define SW_PROBES 32u

enum { FRAME_TERMINAL = 1, FRAME_DYNAMIC = 2, FRAME_KNOWN = 4 };

struct frame {
  uint64_t pc;
  uint64_t what; /* distance, and the flags in the upper half; 0 until they are known */
};

static inline uint64_t frame_what(uint64_t distance, uint64_t flags) { return distance | (flags | FRAME_KNOWN) << 32; }
static inline uint32_t frame_distance(uint64_t what) { return (uint32_t)what; }
static inline uint32_t frame_flags(uint64_t what) { return (uint32_t)(what >> 32); }

static struct frame frames[SW_FRAMES];
static uint32_t path_slots[SW_PATH_SLOTS]; /* index of the path + 1 */

#define SW_SETS 256u
#define SW_WAYS 4u

static uint32_t recent[SW_SETS][SW_WAYS]; /* index of the path + 1 */
static uint8_t next_way[SW_SETS];
/* Of the return addresses from the stack pointer at the call site: distances do not change, so a path has one set. */
static uint32_t offsets[SW_PATHS][SW_MAX_FRAMES];

/* Where programs and threads start: frames in there are nobody's code. */
static struct range {
  uint64_t begin, end;
} runtime_code[2], own_code, program_code, mpi_code;

/* By index of the path: whether the MPI library called, and not the program, what is at its end. */
static uint8_t by_mpi[SW_PATHS];

static struct frame *frame_find(uint64_t pc) {
  uint32_t slot = (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 51);
  _Static_assert(SW_FRAMES == 1u << 13, "the shift above gives an index of this many bits");
  for (uint32_t i = 0; i < SW_PROBES; ++i) {
    struct frame *frame = &frames[(slot + i) & (SW_FRAMES - 1)];
    uint64_t there = __atomic_load_n(&frame->pc, __ATOMIC_RELAXED);
    if (there == pc)
      return frame;
    if (!there)
      return NULL;
  }
  return NULL;
}

static struct frame *frame_insert(uint64_t pc) {
  uint32_t slot = (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 51);
  for (uint32_t i = 0; i < SW_PROBES; ++i) {
    struct frame *frame = &frames[(slot + i) & (SW_FRAMES - 1)];
    if (!frame->pc) {
      __atomic_store_n(&frame->pc, pc, __ATOMIC_RELAXED);
      return frame;
    }
  }
  return NULL;
}

struct trace {
  int depth;
  int complete;
  uint64_t pc[SW_UNWIND_DEPTH];
  const char *cfa[SW_UNWIND_DEPTH];
};

static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *argument) {
  struct trace *trace = argument;
  if (trace->depth == SW_UNWIND_DEPTH) {
    trace->complete = 0;
    return _URC_END_OF_STACK;
  }
  uint64_t pc = (uint64_t)_Unwind_GetIP(context);
  if (!pc)
    return _URC_END_OF_STACK;
  trace->pc[trace->depth] = pc;
  trace->cfa[trace->depth++] = (const char *)(uintptr_t)_Unwind_GetCFA(context);
  return _URC_NO_REASON;
}

static int in_range(const struct range *range, uint64_t pc) { return pc >= range->begin && pc < range->end; }

static int in_runtime(uint64_t pc) { return in_range(&runtime_code[0], pc) || in_range(&runtime_code[1], pc); }

uint32_t sw_backtrace(uint64_t *found, uint32_t most, uint64_t first) {
  struct trace trace;
  uint32_t depth = 0;
  int begin = 0;
  trace.depth = 0;
  trace.complete = 1;
  _Unwind_Backtrace(collect, &trace);
  if (first)
    while (begin < trace.depth && trace.pc[begin] != first)
      ++begin;
  else
    while (begin < trace.depth && in_range(&own_code, trace.pc[begin]))
      ++begin;
  for (int i = begin; i < trace.depth && depth < most; ++i)
    found[depth++] = trace.pc[i] - !(first && i == begin);
  return depth;
}

/* Position of the outermost frame that belongs to the program: main, or the function of a thread. */
static int outermost(const struct trace *trace, int first) {
  int last = trace->depth - 1;
  if (!trace->complete)
    return last + 1;
  if (last > first && !in_runtime(trace->pc[last]) && in_runtime(trace->pc[last - 1]))
    --last; /* _start */
  while (last > first && in_runtime(trace->pc[last]))
    --last;
  return last;
}

struct walk {
  uint64_t frames[SW_MAX_FRAMES];
  uint32_t offsets[SW_MAX_FRAMES]; /* valid after walk_by_distance */
  uint64_t hash;
  uint32_t depth;
  uint32_t flags;
};

static inline void walk_add(struct walk *walk, uint64_t pc) {
  walk->frames[walk->depth++] = pc - 1;
  walk->hash = sw_mix(walk->hash, pc);
}

static void walk_start(struct walk *walk, const struct sw_call *call) {
  walk->depth = 0;
  walk->flags = (call->fortran ? 2u : 0u) | __atomic_load_n(&sw_phase, __ATOMIC_RELAXED) << SW_PATH_PHASE;
  walk->hash = walk->flags;
}

/* Some of the recent paths may rest on the distance of a frame that has turned out to have none. */
static void forget_recent(void) {
  for (uint32_t set = 0; set < SW_SETS; ++set)
    for (uint32_t way = 0; way < SW_WAYS; ++way)
      __atomic_store_n(&recent[set][way], 0, __ATOMIC_RELAXED);
}

static void learn_frame(uint64_t pc, uint64_t distance, int terminal) {
  struct frame *frame = frame_find(pc);
  if (!frame && !(frame = frame_insert(pc)))
    return;
  uint64_t before = frame->what;
  uint32_t flags = before ? frame_flags(before) : 0;
  if (terminal) {
    flags |= FRAME_TERMINAL;
    distance = before ? frame_distance(before) : 0;
  } else {
    int differs = before && !(flags & FRAME_TERMINAL) && frame_distance(before) != distance;
    if (!(flags & FRAME_DYNAMIC) && (distance > UINT32_MAX || differs)) {
      flags |= FRAME_DYNAMIC;
      forget_recent();
    }
    flags &= ~(uint32_t)FRAME_TERMINAL;
  }
  __atomic_store_n(&frame->what, frame_what((uint32_t)distance, flags), __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void walk_by_unwinder(struct walk *walk, struct sw_call *call) {
  struct trace trace;
  call->slow = 1;
  call->slow_begin = sw_ticks();
  trace.depth = 0;
  trace.complete = 1;
  _Unwind_Backtrace(collect, &trace);
  walk_start(walk, call);
  int first = 0;
  while (first < trace.depth && trace.cfa[first] != call->site.cfa)
    ++first;
  if (first >= trace.depth || trace.pc[first] != call->site.pc) { /* no unwind information: the call site alone */
    walk->flags |= 1;
    walk_add(walk, call->site.pc);
    return;
  }
  int last = outermost(&trace, first);
  sw_lock();
  for (int i = first; i < trace.depth && i <= last; ++i) {
    if (!sw_shard_knows(trace.pc[i]))
      sw_shard_scan_modules();
    if (i - first < SW_MAX_FRAMES)
      walk_add(walk, trace.pc[i]);
    else
      walk->flags |= 1;
    if (i + 1 >= trace.depth && i != last)
      break;
    learn_frame(trace.pc[i], i == last ? 0 : (uint64_t)(trace.cfa[i + 1] - trace.cfa[i]), i == last);
  }
  sw_unlock();
  const char *high = trace.cfa[trace.depth - 1];
  if (high > call->thread->stack_high)
    call->thread->stack_high = high;
}

#if defined(__x86_64__)
/* False if a frame is unknown or has no fixed size. */
static inline int walk_by_distance(struct walk *walk, const struct sw_call *call) {
  walk_start(walk, call);
  uint64_t pc = call->site.pc;
  const char *cfa = call->site.cfa;
  for (;;) {
    const struct frame *frame = frame_find(pc);
    uint64_t what = frame ? __atomic_load_n(&frame->what, __ATOMIC_RELAXED) : 0;
    if (SW_UNLIKELY(!what))
      return 0;
    walk->offsets[walk->depth] = (uint32_t)(cfa - call->site.cfa);
    walk_add(walk, pc);
    if (frame_flags(what) & FRAME_TERMINAL)
      return 1;
    if (walk->depth == SW_MAX_FRAMES) {
      walk->flags |= 1;
      return 1;
    }
    if (SW_UNLIKELY(frame_flags(what) & FRAME_DYNAMIC))
      return 0;
    cfa += frame_distance(what);
    if (SW_UNLIKELY(cfa > call->thread->stack_high))
      return 0;
    memcpy(&pc, cfa - sizeof pc, sizeof pc); /* the call instruction put it right below */
  }
}
#endif

static inline int is_path(const struct sw_path *path, const struct walk *walk) {
  if (path->depth != walk->depth || path->flags != walk->flags)
    return 0;
  uint32_t same = 0;
  while (same < walk->depth && path->frames[same] == walk->frames[same])
    ++same;
  return same == walk->depth;
}

/* Index of the path in the shard; SW_NO_PATH if it is new, and then *free_slot is where it belongs, if there is room.
 */
static inline uint32_t find_path(const struct walk *walk, uint32_t **free_slot) {
  uint64_t hash = sw_mix(walk->hash, walk->depth | (uint64_t)(walk->flags & 1) << 8);
  *free_slot = NULL;
  for (uint32_t i = 0; i < SW_PROBES; ++i) {
    uint32_t *slot = &path_slots[(hash + i) & (SW_PATH_SLOTS - 1)];
    uint32_t index = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (SW_UNLIKELY(!index)) {
      *free_slot = slot;
      return SW_NO_PATH;
    }
    if (is_path(&sw_shard.paths[index - 1], walk))
      return index - 1;
  }
  return SW_NO_PATH;
}

/* The lock is held. */
static __attribute__((noinline)) uint32_t enter_path(const struct walk *walk) {
  uint32_t *slot;
  uint32_t found = find_path(walk, &slot);
  uint64_t index = sw_shard.path_section->used;
  if (found == SW_NO_PATH && slot && index < SW_PATHS) {
    struct sw_path *path = &sw_shard.paths[index];
    path->depth = walk->depth;
    path->flags = walk->flags;
    memcpy(path->frames, walk->frames, walk->depth * sizeof walk->frames[0]);
    uint32_t i = 0;
    while (i < walk->depth && !in_range(&program_code, walk->frames[i]) && !in_range(&mpi_code, walk->frames[i]))
      ++i;
    by_mpi[index] = i < walk->depth && in_range(&mpi_code, walk->frames[i]);
    __atomic_store_n(&sw_shard.path_section->used, index + 1, __ATOMIC_RELEASE);
    found = (uint32_t)index;
    __atomic_store_n(slot, found + 1, __ATOMIC_RELEASE);
  }
  if (found == SW_NO_PATH)
    sw_count(&sw_shard.header->dropped_paths);
  return found;
}

static inline uint32_t path_index(const struct walk *walk) {
  uint32_t *slot, found = find_path(walk, &slot);
  if (SW_UNLIKELY(found == SW_NO_PATH)) {
    sw_lock();
    found = enter_path(walk);
    sw_unlock();
  }
  return found;
}

uint32_t sw_site_path(const struct sw_call *call) {
  struct walk walk;
  uint32_t *slot;
  walk_start(&walk, call);
  walk.flags |= 1;
  walk_add(&walk, call->site.pc);
  uint32_t found = find_path(&walk, &slot);
  if (found == SW_NO_PATH && sw_try_lock()) {
    found = enter_path(&walk);
    sw_unlock();
  }
  return found;
}

#if defined(__x86_64__)
/* The same return addresses in the same places are the same path: each address fixes the place of the next. */
static inline int is_recent(uint32_t index, const struct sw_call *call) {
  const char *cfa = call->site.cfa;
  if (!index--)
    return 0;
  const struct sw_path *path = &sw_shard.paths[index];
  if (path->frames[0] + 1 != call->site.pc ||
      path->flags >> SW_PATH_PHASE != __atomic_load_n(&sw_phase, __ATOMIC_RELAXED) ||
      cfa + __atomic_load_n(&offsets[index][path->depth - 1], __ATOMIC_RELAXED) > call->thread->stack_high)
    return 0;
  uint64_t different = 0;
  for (uint32_t i = 1; i < path->depth; ++i) {
    uint64_t pc;
    memcpy(&pc, cfa + __atomic_load_n(&offsets[index][i], __ATOMIC_RELAXED) - sizeof pc, sizeof pc);
    different |= pc ^ (path->frames[i] + 1);
  }
  return !different;
}

static void keep_recent(uint32_t set, const struct walk *walk, uint32_t path) {
  if (path == SW_NO_PATH)
    return;
  for (uint32_t i = 0; i < walk->depth; ++i)
    __atomic_store_n(&offsets[path][i], walk->offsets[i], __ATOMIC_RELAXED);
  uint8_t way = __atomic_load_n(&next_way[set], __ATOMIC_RELAXED);
  __atomic_store_n(&next_way[set], (uint8_t)(way + 1), __ATOMIC_RELAXED);
  __atomic_store_n(&recent[set][way & (SW_WAYS - 1)], path + 1, __ATOMIC_RELEASE);
}
#endif

uint32_t sw_call_path(struct sw_call *call) {
  struct walk walk;
#if defined(__x86_64__)
  uint32_t set = (uint32_t)((call->site.pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (SW_SETS - 1);
  if (__builtin_expect((++call->thread->walks & (SW_VERIFY - 1)) != 0, 1)) {
    for (uint32_t way = 0; way < SW_WAYS; ++way) {
      uint32_t index = __atomic_load_n(&recent[set][way], __ATOMIC_ACQUIRE);
      if (is_recent(index, call))
        return index - 1;
    }
    if (walk_by_distance(&walk, call)) {
      uint32_t path = path_index(&walk);
      keep_recent(set, &walk, path);
      return path;
    }
  }
#endif
  walk_by_unwinder(&walk, call);
  return path_index(&walk);
}

struct search {
  uint64_t pc;
  struct range found;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *argument) {
  struct search *search = argument;
  (void)size;
  struct range whole = {UINT64_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      uint64_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      uint64_t end = begin + info->dlpi_phdr[i].p_memsz;
      whole.begin = begin < whole.begin ? begin : whole.begin;
      whole.end = end > whole.end ? end : whole.end;
    }
  if (search->pc < whole.begin || search->pc >= whole.end)
    return 0;
  search->found = whole;
  return 1;
}

/* Only their addresses matter; the versions are those that every glibc has. */
extern int sw_start_main(void) __attribute__((weak));
extern int sw_thread_create(void) __attribute__((weak));
#if defined(__x86_64__)
__asm__(".symver sw_start_main,__libc_start_main@GLIBC_2.2.5");
__asm__(".symver sw_thread_create,pthread_create@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver sw_start_main,__libc_start_main@GLIBC_2.17");
__asm__(".symver sw_thread_create,pthread_create@GLIBC_2.17");
#endif

int sw_path_by_mpi(uint32_t path) { return path != SW_NO_PATH && by_mpi[path]; }

/* The program is the first object of the list. */
static int first_object(struct dl_phdr_info *info, size_t size, void *argument) {
  struct search *search = argument;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      search->pc = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
  return 1;
}

static struct range object_of(uint64_t pc) {
  struct search search = {pc, {0, 0}};
  dl_iterate_phdr(find_object, &search);
  return search.found;
}

void sw_callpath_init(const void *mpi) {
  const uint64_t starters[2] = {(uint64_t)(uintptr_t)&sw_start_main, (uint64_t)(uintptr_t)&sw_thread_create};
  for (int i = 0; i < 2; ++i)
    runtime_code[i] = object_of(starters[i]);
  own_code = object_of((uint64_t)(uintptr_t)&sw_callpath_init);
  mpi_code = object_of((uint64_t)(uintptr_t)mpi);
  struct search program = {0, {0, 0}};
  dl_iterate_phdr(first_object, &program);
  program_code = object_of(program.pc);
  memset(frames, 0, sizeof frames);
  memset(path_slots, 0, sizeof path_slots);
  memset(recent, 0, sizeof recent);
}
