/* The shard of an OpenMP run: what one process leaves behind.
 *
 * One file per process, mapped MAP_SHARED while the program runs, so that the kernel keeps every completed store even
 * when the process is killed or replaced by exec. All integers little endian and naturally aligned; no pointers; every
 * table has a fixed capacity, so that memory grows with the threads, not with the run. The writer is runtime/ompt/, the
 * reader stridewise/runs/omp/shards.py, which must treat every number in the file as untrusted.
 */
#ifndef STRIDEWISE_OMP_SHARD_H
#define STRIDEWISE_OMP_SHARD_H

#include <stdint.h>

#define SWO_MAGIC UINT64_C(0x31504D4F44525453) /* "STRDOMP1" in memory order */
#define SWO_VERSION 3u                         /* 2 knew no phases */
#define SWO_THREADS 1024u                      /* threads ever started that are recorded; later ones are counted */
#define SWO_ENTRIES 1024u                      /* places per thread */
#define SWO_MODULES 256u
#define SWO_CPUS 1024u
#define SWO_PHASES 63u /* that the program marks; the last one stands for all further ones */
#define SWO_CPU_WORDS (SWO_CPUS / 64)

enum swo_state { SWO_RUNNING = 1, SWO_CLOSED = 2 };

struct swo_section {
  uint64_t offset; /* from the start of the file */
  uint64_t used;   /* entries valid now */
  uint32_t entry_bytes;
  uint32_t capacity;
};

/* One simultaneous reading of the clocks. Times are in ticks; two readings give the tick's length. */
struct swo_clock {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};

struct swo_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t file_bytes;
  uint32_t crc32; /* zlib's CRC-32 of the whole file with this field zero; valid when state is SWO_CLOSED */
  uint32_t state;
  int32_t rank; /* of MPI, by the launcher's environment; -1 without */
  int32_t ranks;
  uint64_t pid;
  uint64_t parent;
  struct swo_clock begin;
  struct swo_clock end;             /* refreshed now and then while running */
  uint64_t cpu_ns;                  /* processor time of the process between begin and end */
  uint64_t before_ns;               /* from the start of the process to begin, in steps of 10 ms; 0 if unknown */
  uint64_t lost_threads;            /* that found no room */
  uint64_t cpu_mask[SWO_CPU_WORDS]; /* where the process may run, at the begin */
  struct swo_section threads;
  struct swo_section modules;
  struct swo_section cpus;
  struct swo_section phases;
  char runtime[128]; /* what the OpenMP library says of itself */
  char host[64];
  char environment[1024]; /* NAME=value, one a line, of the variables that place threads */
  char executable[512];
  char command[1024];
  char directory[512];
};

/* An OpenMP thread. `cpus_seen` and `migrations` are sampled where the thread enters a region. */
struct swo_thread {
  uint64_t tid;
  uint32_t kind;   /* ompt_thread_t */
  uint32_t number; /* in the latest region */
  uint64_t begin;  /* ticks */
  uint64_t end;
  uint64_t regions;
  uint64_t migrations;
  uint64_t voluntary; /* context switches */
  uint64_t involuntary;
  uint64_t cpu_ns;
  uint64_t queue_ns; /* ready to run while others had the processors; 0 if unknown */
  uint64_t alone_ns; /* its processor time outside of the regions that it opened, where it opened any */
  uint64_t dropped;  /* events at places that found no room */
  uint64_t affinity[SWO_CPU_WORDS];
  uint64_t cpus_seen[SWO_CPU_WORDS];
  struct swo_section entries;
};

enum swo_kind {
  SWO_REGION = 1, /* by the thread that opens the team */
  SWO_TEAM = 2,   /* by each thread of the team */
  SWO_LOOP_STATIC = 3,
  SWO_LOOP_DYNAMIC = 4,
  SWO_LOOP_GUIDED = 5,
  SWO_LOOP_OTHER = 6,
  SWO_SECTIONS = 7,
  SWO_SINGLE = 8,
  SWO_WORK_OTHER = 9,
  SWO_BARRIER_EXPLICIT = 10,
  SWO_BARRIER_IMPLICIT = 11,
  SWO_BARRIER_OTHER = 12, /* either: code made by GCC does not tell */
  SWO_CRITICAL = 13,
  SWO_LOCK = 14,
  SWO_ORDERED = 15,
  SWO_ATOMIC = 16,
  SWO_TASK = 17,
  SWO_TASKWAIT = 18,
  SWO_TASKGROUP = 19,
  SWO_REDUCTION = 20,
  SWO_PAIR = 21,   /* two regions of one thread, one after the other */
  SWO_MEETING = 22 /* a barrier or the end of a region, by the first thread of the team, for all of it */
};

/* Totals of one place on one thread. Ticks are the time of: a region; a thread in a region (span); a share of a loop;
 * a wait; a task; the gap between two regions. */
struct swo_entry {
  uint64_t address; /* inside the calling instruction: return address - 1; of a region of GCC's: its body's begin */
  uint64_t region;  /* that of the region around it, 0 outside; PAIR: the region before; MEETING: the barrier */
  uint32_t kind;
  uint32_t flags;  /* of the writer */
  uint64_t phases; /* in which it has events: bit 0 stands for none, bit n for the n-th phase, from 1 */
  uint64_t count;  /* 0: free */
  uint64_t ticks;
  uint64_t ticks_min;
  uint64_t ticks_max;
  uint64_t value[12];
};

/* Meaning of value[]: */
enum swo_region_value {
  SWO_R_OVERHEAD = 0, /* region minus the longest span of a thread: fork and join */
  SWO_R_TYPICAL = 1,  /* running estimate of its lower quartile */
  SWO_R_BUSY = 2,     /* spans of all threads without their waits */
  SWO_R_LAST = 3,     /* from the begin to the arrival of the last thread */
  SWO_R_SIZE = 4,     /* threads, added up */
  SWO_R_SLOWER = 5,   /* regions that took longer than one thread would need for the work of all */
  SWO_R_EXCESS = 6,   /* by how much, added up */
  SWO_R_LONGEST = 7,  /* longest busy time of a thread, added up */
  SWO_R_MAX_SIZE = 8
};
enum swo_wait_value {                    /* BARRIER_*, and TEAM for the end of the region */
                      SWO_W_SEGMENT = 0, /* busy since the meeting before */
                      SWO_W_CPU_NS = 1,  /* processor time of such segments, where it was sampled, */
                      SWO_W_SAMPLED = 2, /* and their ticks */
                      SWO_W_WORK = 3,    /* address and kind of the last work-share before it */
                      SWO_W_WORK_KIND = 4,
                      SWO_T_ARRIVAL = 5, /* TEAM: from the region's begin to the arrival at its end */
                      SWO_T_LAG = 6,     /* TEAM: from the region's begin to the thread's */
                      SWO_T_BUSY = 7,    /* TEAM: span without waits */
                      SWO_W_TYPICAL = 8  /* running estimate of the lower quartile of the waits */
};
enum swo_loop_value {
  SWO_L_TRIPS = 0, /* of all threads */
  SWO_L_OWN = 1,
  SWO_L_CHUNKS = 2,
  SWO_L_CHUNK_TICKS = 3,
  SWO_L_CHUNK_SQUARES = 4, /* a double: sum of squares of the ticks per chunk */
  SWO_L_CHUNK_TYPICAL = 5,
  SWO_L_CHUNK_SIZE = 6 /* iterations of the first chunk seen */
};
enum swo_mutex_value {
  SWO_M_HOLD = 0,
  SWO_M_CONTENDED = 1, /* entries that waited over a microsecond */
  SWO_M_TYPICAL = 2    /* running estimate of the lower quartile of the waits */
};
enum swo_task_value {
  SWO_K_CREATED = 0,
  SWO_K_TYPICAL = 1,
  SWO_K_USED = 2 /* ticks, less where the thread was seen to lack a processor */
};
/* MEETING: of each one where the processor time of long segments is known. `address` is the work-share, or else the
 * barrier or region, before which the thread with most to do came; `region` is the barrier, or the region that ends;
 * ticks is the time since the meeting before. */
enum swo_meeting_value {
  SWO_G_LONGEST = 0,      /* what the busiest thread used of its processor since the meeting before, tasks included */
  SWO_G_USED = 1,         /* the same of all threads together */
  SWO_G_SIZE = 2,         /* threads, added up */
  SWO_G_WAITED = 3,       /* from the thread's arrival to that of the last, mean of the threads */
  SWO_G_REGION = 4,       /* the region around it */
  SWO_G_KIND = 5,         /* of the work-share */
  SWO_G_TASKS = 6,        /* of SWO_G_USED in explicit tasks */
  SWO_G_LONGEST_TASK = 7, /* of each meeting the longest, added up */
  SWO_G_UNSURE = 8,       /* meetings that are left out, since the processor time of a long segment is not known, */
  SWO_G_UNSURE_WAITED = 9,
  SWO_G_CULPRIT = 10, /* number of the thread that most often had most to do: candidate and votes (Boyer and Moore) */
  SWO_G_VOTES = 11
};
enum swo_pair_value { SWO_P_TYPICAL = 0 };

struct swo_module {
  uint64_t begin; /* lowest and highest mapped address */
  uint64_t end;
  uint64_t bias; /* subtract from a run-time address to get the address in the file's own space */
  uint8_t build_id[20];
  uint32_t build_id_bytes;
  char path[232];
};

/* What the program has marked. Times of regions are of those that no other one is around, in the phase in which they
 * begin. */
struct swo_phase {
  char name[64];
  uint64_t ticks; /* of all stays that have ended, and begin of the one that has not, else 0 */
  uint64_t begin;
  uint64_t count;
  uint64_t regions;
  uint64_t inside;   /* elapsed in regions */
  uint64_t overhead; /* of that to open and close them, as SWO_R_OVERHEAD */
  uint64_t working;  /* what the threads did in them, as if each team had shared it evenly */
};

struct swo_cpu {
  int32_t cpu;
  int32_t core; /* lowest number among the cpus that share the core */
  int32_t package;
  int32_t node;
};

#endif
