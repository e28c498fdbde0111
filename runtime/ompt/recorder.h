/* What the parts of the OpenMP recorder share. */
#ifndef STRIDEWISE_OMP_RECORDER_H
#define STRIDEWISE_OMP_RECORDER_H

#include "omp_shard.h"
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define SWO_LEVELS 8  /* nested regions that are recorded */
#define SWO_SLOTS 512 /* threads of a team whose arrival is noted */
#define SWO_WAITS 8
#define SWO_INDEX 2048 /* slots of the index over a thread's entries */

/* What a thread did since the meeting before, written before it arrives at a barrier. Tasks that it runs there add. */
struct share {
  uint64_t key; /* of the meeting: stamp of the region, and how many barriers of it came before */
  uint64_t arrival;
  uint64_t used;
  uint64_t tasks; /* of `used` */
  uint64_t longest_task;
  uint64_t work;
  uint32_t kind;
  uint32_t unsure; /* long, and of unknown processor time */
};

/* A thread's part in the team's current region. Of two barriers in a row the shares lie in turns: no thread is two
 * barriers ahead of one that still reads. */
struct team_slot {
  _Alignas(64) uint64_t stamp; /* of the region; others are of an earlier one */
  uint64_t arrival;
  uint64_t span;
  uint64_t busy;
  _Alignas(64) struct share shares[2];
};

/* A team that a thread opened, one per nesting level. */
struct team {
  uint64_t begin;
  uint64_t address;
  uint64_t call;
  uint64_t stamp;
  struct swo_entry *entry;
  uint64_t meetings; /* barriers that the first thread passed, and when it left the last of them */
  uint64_t met;
  unsigned level;
  unsigned size;
  unsigned phase;
  struct team_slot *slots;
};

/* A thread inside a region. */
struct frame {
  struct team *team; /* null: not recorded */
  uint64_t address;
  uint64_t stamp;
  uint64_t begin;
  uint64_t lost;    /* waited since the begin */
  uint64_t segment; /* begin of the segment, what of it was waited, and the processor time then (0: not taken) */
  uint64_t segment_lost;
  uint64_t segment_cpu;
  uint64_t idle; /* of segment_lost, where it is known what of its processor the waiting thread used, and how much */
  uint64_t idle_cpu;
  uint64_t segment_tasks; /* time in explicit tasks, as `used` counts it, and the longest of them */
  uint64_t longest_task;
  uint64_t meetings;        /* barriers passed in the region */
  struct share *share;      /* at a barrier: what the thread had done */
  struct swo_entry *origin; /* of the meeting that the segment follows */
  struct swo_entry *entry;
  unsigned index;
  int arrived;
  struct swo_entry *work; /* the work-share in progress */
  uint64_t work_begin;
  uint64_t chunk_begin;
  uint64_t last_work;
  uint32_t last_kind;
};

struct wait {
  uint64_t begin;
  uint64_t task_ticks;
  uint64_t cpu; /* processor time then, or 0 */
};

struct hold {
  uint64_t id;
  uint64_t begin;
  struct swo_entry *entry;
};

struct recorder {
  struct swo_thread *thread;
  struct swo_entry *entries;
  uint64_t generation; /* of the shard */
  unsigned depth;      /* regions that the thread is in */
  unsigned opened;     /* teams that it opened */
  unsigned waiting;
  unsigned wait_long; /* waits for tasks were seen to be long */
  unsigned holding;
  int cpu;
  uint64_t last_region; /* the latest outermost region that it opened, and when that ended */
  uint64_t last_end;
  uint64_t gap_cpu; /* processor time then, in ns, or 0; taken while the times between regions were seen to be long */
  unsigned gap_long;
  uint64_t mutex_begin;
  uint64_t mutex_cpu;
  uint64_t mutex_address;
  uint64_t mutex_last;         /* the lock that was taken last, */
  uint64_t mutex_last_address; /* and where */
  uint64_t task_since;         /* begin of the explicit task in progress */
  uint64_t task_ticks;
  uint64_t task_cpu; /* processor time at its begin, or 0; taken while tasks were seen to be long */
  unsigned task_long;
  uint64_t task_idle; /* waited in it for other tasks or locks */
  uint64_t reduction_begin;
  uint64_t stamps;
  struct frame frames[SWO_LEVELS];
  struct wait waits[SWO_WAITS];
  struct hold holds[SWO_WAITS];
  struct team teams[SWO_LEVELS];
  uint16_t index[SWO_INDEX]; /* 1 + position */
};

#pragma GCC visibility push(hidden)
extern int swo_have_ticks;
extern __thread uint64_t swo_body __attribute__((tls_model("initial-exec"))); /* of the region about to open, or 0 */
extern uint64_t swo_microsecond;                                              /* in ticks */

/* The shard of this process. Null and a generation of its own after fork, until something is recorded. */
extern struct swo_header *swo_header;
extern uint64_t swo_generation;

/* The phase that the process is in, from 1; 0: none. */
extern uint32_t swo_phase;
void swo_phases_move(struct swo_phase *table, struct swo_section *section); /* to the shard */
void swo_phases_forget(void);                                               /* in the child of a fork */
void swo_phase_region(uint32_t number, uint64_t inside, uint64_t overhead, uint64_t working);

void swo_choose_clock(void);

void swo_shard_runtime(const char *text); /* what the OpenMP library says of itself */
void swo_shard_close(void);
void swo_shard_forget(void); /* in the child of a fork: the file is the parent's */
struct recorder *swo_shard_thread(unsigned kind);
void swo_shard_refresh(struct recorder *recorder);

void swo_scan_modules(struct swo_module *modules, struct swo_section *section, const char *executable);
void swo_scan_cpus(struct swo_cpu *cpus, struct swo_section *section, const uint64_t *wanted);
void swo_describe_process(struct swo_header *header);
void swo_read_threads(struct swo_thread *threads, uint64_t count); /* their times, by the kernel */
uint32_t swo_crc(uint32_t crc, const void *data, size_t bytes);

static inline uint64_t swo_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t swo_ticks(void) {
#if defined(__x86_64__)
  if (__builtin_expect(swo_have_ticks, 1))
    return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
  return swo_nanoseconds(CLOCK_MONOTONIC);
}
#pragma GCC visibility pop

#endif
