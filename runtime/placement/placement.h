/* libstridewise_placement.so: which node each big allocation's pages are on, and from which nodes threads use them.
 *
 * Preloaded, it notes allocations of a MiB and more with their call paths (allocations.c), samples by a timer of each
 * thread's processor time which memory the code is touching (sampler.c, operands.c), and at the end writes one file of
 * a process (write.c). The program's memory is never protected or moved, so its results are those of a bare run.
 * Nothing is sampled or written before a process has two threads and a big allocation: launchers and shells are left
 * alone.
 */
#ifndef STRIDEWISE_PLACEMENT_H
#define STRIDEWISE_PLACEMENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SW_API __attribute__((visibility("default")))

enum {
  SW_DEPTH = 16,         /* callers kept of an allocation */
  SW_SITES = 512,        /* call paths that allocate */
  SW_ALLOCATIONS = 1024, /* alive at a time */
  SW_THREADS = 1024,
  SW_NODES = 32,     /* memory nodes; higher numbers count as the last */
  SW_SURVEYED = 256, /* pages looked up of one allocation */
  SW_SURVEYS = 8,    /* allocations of one call path that are surveyed when they are freed */
  SW_CHECKS = 64,    /* allocations of one call path that are looked at when they are new */
};

/* A call path that allocates, or a static array (then `name` is its symbol). */
struct sw_site {
  uintptr_t callers[SW_DEPTH];
  int depth;
  const char *name;
  uint64_t allocations, bytes, largest, alive;
  int surveys;
  uint64_t checked, recycled; /* allocations that were looked at when they were new; memory that was in use before */
  uint64_t pages_seen, pages_absent;         /* of the surveys */
  uint64_t pages[SW_NODES];                  /* found on each node */
  _Atomic uint64_t uses[SW_NODES][SW_NODES]; /* samples by the thread's node, the page's node */
  _Atomic uint64_t users[SW_THREADS / 64];   /* threads that were seen to use it */
};

struct sw_allocation {
  _Atomic uintptr_t begin, end; /* both 0: free entry */
  int site;
};

struct sw_thread {
  pid_t tid;
  int alive;
  uint64_t samples, switches; /* of samples; how often the processor differed from that of the sample before */
  int cpu;
  int allowed; /* processors in its mask when it started */
  uint64_t nodes[SW_NODES];
};

extern struct sw_site sw_sites[SW_SITES];
extern struct sw_allocation sw_allocations[SW_ALLOCATIONS];
extern struct sw_thread sw_threads[SW_THREADS];
extern _Atomic int sw_site_count, sw_allocation_limit, sw_thread_count;
extern _Atomic uint64_t sw_lost_allocations, sw_lost_threads, sw_samples;
extern size_t sw_least_bytes;

/* Calls of this thread into the library itself, which must not be watched. */
extern __thread int sw_inside __attribute__((tls_model("initial-exec")));

void sw_lock(void);
void sw_unlock(void);

/* The node of each page, negative where it has none (move_pages). Returns 0, or -1 where the system refuses. */
int sw_nodes_of(size_t count, void **pages, int *nodes);
/* Looks up pages of an allocation and adds them to its call path. */
void sw_survey(const struct sw_allocation *allocation);
/* The allocation around an address, or NULL. */
struct sw_allocation *sw_find(uintptr_t address);
void sw_add_static(const char *name, uintptr_t begin, size_t bytes);
void sw_track_statics(void);

void sw_sampler_begin(void);    /* once: the calling thread is the first */
void sw_sampler_consider(void); /* starts the timers once there is something to watch */
void sw_sampler_end(void);
int sw_sampler_started(void);
void sw_write(void);

#endif
