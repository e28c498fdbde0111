/* Latency and bandwidth of a cache level or of the memory, for one thread and for all of them together.
 *
 *   PROGRAM SECONDS LINE_BYTES CPU,CPU,… NAME:BYTES:BYTES_EACH …
 *
 * For each NAME: a chain of dependent loads through BYTES in random order, one load a line (latency), and sums over
 * BYTES by the first processor (`NAME.one`) and over BYTES_EACH by each of them at a time (`NAME.all`). Samples of
 * latency are seconds a load, of sums seconds a byte. Huge pages are asked for, so that page tables do not hide the
 * caches.
 */
#include "measure.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { Rounds = 101, Slice = 1 << 21, HugePage = 2 << 20, MostLevels = 8 };

static int cpus[MostCpus];
static int threads;
static size_t line_bytes;
static double sample_seconds;
static _Atomic uint64_t sink;

static char *allocate(size_t bytes) {
  size_t all = (bytes + 2 * HugePage - 1) / HugePage * HugePage;
  char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    refuse("there is too little memory for the working set");
  char *aligned = memory + (HugePage - (uintptr_t)memory % HugePage) % HugePage;
  (void)madvise(aligned, bytes, MADV_HUGEPAGE);
  return aligned; /* never given back: the process is short */
}

/* --- latency --------------------------------------------------------------------------------------------------------
 */

/* One cycle through all lines in random order (Sattolo's shuffle): no prefetcher can follow it. */
static void *make_chain(char *memory, size_t bytes) {
  size_t count = bytes / line_bytes;
  uint32_t *order = malloc(count * sizeof *order);
  if (!order)
    refuse("there is too little memory for the working set");
  for (size_t i = 0; i < count; ++i)
    order[i] = (uint32_t)i;
  uint64_t state = 88172645463325252u;
  for (size_t i = count - 1; i > 0; --i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t j = state % i;
    uint32_t kept = order[i];
    order[i] = order[j], order[j] = kept;
  }
  for (size_t i = 0; i < count; ++i)
    *(void **)(memory + order[i] * line_bytes) = memory + order[(i + 1) % count] * line_bytes;
  void *first = memory + order[0] * line_bytes;
  free(order);
  return first;
}

static void measure_latency(const char *name, size_t bytes) {
  char label[64];
  snprintf(label, sizeof label, "%s.latency", name);
  void **at = make_chain(allocate(bytes), bytes);
  long steps = 1000;
  for (int round = -1; round < Rounds;) {
    double begin = seconds_now();
    for (long i = 0; i < steps; i += 10)
      at = *at, at = *at, at = *at, at = *at, at = *at, at = *at, at = *at, at = *at, at = *at, at = *at;
    double took = seconds_now() - begin;
    __asm__ volatile("" ::"r"(at) : "memory");
    if (round < 0 && took < sample_seconds) { /* long enough for the clock, and for all lines to have been there once */
      steps *= 2;
      continue;
    }
    if (round++ >= 0)
      print_sample(label, took / (double)steps);
  }
}

/* --- bandwidth ------------------------------------------------------------------------------------------------------
 */

/* Sums in as many accumulators as two load ports and the latency of an addition can use, whatever the vector length. */
static uint64_t sum(const uint64_t *data, size_t count) {
  enum { Wide = 64 };
  uint64_t part[Wide] = {0};
  for (size_t i = 0; i + Wide <= count; i += Wide)
    for (size_t j = 0; j < Wide; ++j)
      part[j] += data[i + j];
  uint64_t all = 0;
  for (size_t j = 0; j < Wide; ++j)
    all += part[j];
  return all;
}

typedef uint64_t sum_fn(const uint64_t *, size_t);

#if defined(__x86_64__)
#define VARIANT(NAME, TARGET)                                                                                          \
  __attribute__((target(TARGET))) static uint64_t NAME(const uint64_t *data, size_t count) {                           \
    typedef uint64_t lanes __attribute__((vector_size(64), aligned(8), may_alias));                                    \
    lanes a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};                                      \
    for (size_t i = 0; i + 64 <= count; i += 64) {                                                                     \
      const lanes *at = (const lanes *)(data + i);                                                                     \
      a += at[0], b += at[1], c += at[2], d += at[3], e += at[4], f += at[5], g += at[6], h += at[7];                  \
    }                                                                                                                  \
    a += b + c + d + e + f + g + h;                                                                                    \
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];                                                      \
  }
VARIANT(sum_avx2, "avx2")
VARIANT(sum_avx512, "avx512f")
#endif

static sum_fn *best_sum(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f"))
    return sum_avx512;
  if (__builtin_cpu_supports("avx2"))
    return sum_avx2;
#endif
  return sum;
}

static pthread_barrier_t meeting;
static struct {
  size_t bytes;
  int team;
  long repeats;
  _Atomic int waiting[Rounds + 1];
  _Atomic uint64_t last_end[Rounds + 1]; /* ns after `origin` */
  _Atomic uint64_t first_begin[Rounds + 1];
  double origin;
} job;

static void *reader(void *which) {
  int me = (int)(intptr_t)which;
  pin(cpus[me]);
  uint64_t *data = (uint64_t *)allocate(job.bytes); /* after the binding: the pages are to be near */
  memset(data, 1, job.bytes);
  sum_fn *run = best_sum();
  /* A large set is read a slice at a time, so that a sample is short: what else the machine does hits few of them. */
  size_t slice = job.bytes < Slice ? job.bytes : Slice, slices = job.bytes / slice, next = 0;
  pthread_barrier_wait(&meeting);
  if (me == 0) { /* the first finds out how often; the others wait for it in the barrier below */
    job.repeats = 1;
    for (double took = 0; took < sample_seconds; job.repeats *= 2) {
      double begin = seconds_now();
      for (long k = 0; k < job.repeats; ++k)
        sink += run(data + slice / sizeof *data * (next++ % slices), slice / sizeof *data);
      took = seconds_now() - begin;
    }
    job.origin = seconds_now();
  }
  for (int round = 0; round <= Rounds; ++round) {
    pthread_barrier_wait(&meeting);
    job.waiting[round]++;
    while (job.waiting[round] < job.team) /* leaves together, which a barrier does not promise */
      sched_yield();
    uint64_t begin = (uint64_t)(1e9 * (seconds_now() - job.origin)), seen;
    for (long k = 0; k < job.repeats; ++k)
      sink += run(data + slice / sizeof *data * (next++ % slices), slice / sizeof *data);
    uint64_t end = (uint64_t)(1e9 * (seconds_now() - job.origin));
    for (seen = job.last_end[round]; end > seen && !atomic_compare_exchange_weak(&job.last_end[round], &seen, end);)
      ;
    for (seen = job.first_begin[round];
         begin < seen && !atomic_compare_exchange_weak(&job.first_begin[round], &seen, begin);)
      ;
  }
  return NULL;
}

static void measure_bandwidth(const char *name, const char *kind, size_t bytes, int team) {
  char label[64];
  snprintf(label, sizeof label, "%s.%s", name, kind);
  job.team = team;
  job.bytes = bytes / 512 * 512;
  if (!job.bytes)
    refuse("the working set is too small");
  for (int round = 0; round <= Rounds; ++round) {
    atomic_store(&job.waiting[round], 0);
    atomic_store(&job.last_end[round], 0);
    atomic_store(&job.first_begin[round], UINT64_MAX);
  }
  pthread_barrier_init(&meeting, NULL, (unsigned)team);
  pthread_t others[MostCpus];
  for (int i = 1; i < team; ++i)
    if (pthread_create(&others[i], NULL, reader, (void *)(intptr_t)i))
      refuse("cannot start a thread");
  reader(NULL);
  for (int i = 1; i < team; ++i)
    pthread_join(others[i], NULL);
  pthread_barrier_destroy(&meeting);
  for (int round = 1; round <= Rounds; ++round) /* the first only warms up */
    print_sample(label, 1e-9 * (double)(job.last_end[round] - job.first_begin[round]) /
                            ((double)job.repeats * (double)(job.bytes < Slice ? job.bytes : Slice) * team));
}

int main(int argc, char **argv) {
  if (argc < 5 || argc > 4 + MostLevels)
    refuse("usage: PROGRAM SECONDS LINE_BYTES CPU,CPU,... NAME:BYTES:BYTES_EACH ...");
  double budget = read_seconds(argv[1]);
  line_bytes = (size_t)strtoul(argv[2], NULL, 10);
  if (line_bytes < sizeof(void *) || line_bytes > 4096)
    refuse("the length of a line is no length");
  threads = read_cpus(argv[3], cpus);
  sample_seconds = budget / ((argc - 4) * 3 * (Rounds + 20));
  if (sample_seconds > 0.002)
    sample_seconds = 0.002;
  pin(cpus[0]);
  printf("info vector %s\n", best_sum() == sum ? "baseline" : "wide");
  for (int i = 4; i < argc; ++i) {
    char name[16];
    unsigned long bytes = 0, each = 0;
    if (sscanf(argv[i], "%15[A-Za-z0-9]:%lu:%lu", name, &bytes, &each) != 3 || bytes < 2 * line_bytes ||
        bytes / line_bytes > UINT32_MAX)
      refuse("a level is no NAME:BYTES:BYTES_EACH");
    measure_latency(name, bytes);
    measure_bandwidth(name, "one", bytes, 1);
    measure_bandwidth(name, "all", each, threads);
    fflush(stdout);
  }
  return sink == 1;
}
