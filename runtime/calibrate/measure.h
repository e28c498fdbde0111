/* What the programs of `stridewise calibrate` share: clock, pinning, arguments, and how a sample is printed.
 *
 * Their output is lines: `info NAME TEXT` and `sample NAME SECONDS`, the statistics are Python's.
 */
#ifndef STRIDEWISE_CALIBRATE_MEASURE_H
#define STRIDEWISE_CALIBRATE_MEASURE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MostCpus = 4096 };

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The smallest step of the clock that can be seen: its resolution or the time to read it. */
static inline double clock_step(void) {
  double step = 1;
  for (int i = 0; i < 1000; ++i) {
    double begin = seconds_now(), end = begin;
    while (end == begin)
      end = seconds_now();
    if (end - begin < step)
      step = end - begin;
  }
  return step;
}

/* Binds the calling thread. Where the system refuses, it stays where it is: the caller's mask has been checked before.
 */
static inline void pin(int cpu) {
  cpu_set_t *set = CPU_ALLOC(MostCpus);
  if (!set)
    return;
  CPU_ZERO_S(CPU_ALLOC_SIZE(MostCpus), set);
  CPU_SET_S((size_t)cpu, CPU_ALLOC_SIZE(MostCpus), set);
  (void)sched_setaffinity(0, CPU_ALLOC_SIZE(MostCpus), set);
  CPU_FREE(set);
}

_Noreturn static inline void refuse(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(2);
}

/* Reads `3,0,1`; returns how many there are. */
static inline int read_cpus(const char *text, int *cpus) {
  int count = 0;
  for (const char *at = text; *at;) {
    char *end = NULL;
    errno = 0;
    long cpu = strtol(at, &end, 10);
    if (end == at || errno || cpu < 0 || cpu >= MostCpus || count == MostCpus || (*end && *end != ','))
      refuse("the processors are no list of numbers");
    cpus[count++] = (int)cpu;
    at = *end ? end + 1 : end;
  }
  if (!count)
    refuse("no processors were given");
  return count;
}

static inline double read_seconds(const char *text) {
  char *end = NULL;
  double seconds = strtod(text, &end);
  if (end == text || *end || !(seconds > 0 && seconds < 3600))
    refuse("the seconds are no positive number");
  return seconds;
}

/* --- processors that get in each other's way -------------------------------------------------------------------------
 *
 * A virtual machine's processors may be two threads of one core for a while, take turns on it, or share it with another
 * machine: what threads exchange is cheap then, and what each of them computes is slow. Arithmetic tells: it takes the
 * same time on all processors together as on one alone, as long as each is a core of its own.
 */

/* The system below puts such processors apart after a while of work on both: programs start with that. */
static const double LongestSettling = 0.25; /* of the seconds that a program has */
static const int QuietProbes = 400;         /* in a row, tens of milliseconds */

/* Work that no compiler can shorten; never inlined, so that it takes the same time wherever it is called. */
__attribute__((noinline)) static void work(long turns) {
  for (long i = 0; i < turns; ++i)
    __asm__ volatile("" ::: "memory");
}

static const long ProbeTurns = 100000; /* tens of microseconds */
/* Times what a processor takes alone. Two threads of a core take 1.5 to 2 times as long; a processor whose clock falls
 * when all cores work, 1.3 times. */
static const double InTheWay = 1.4;

/* The seconds of the work that shows it. */
static inline double probe(void) {
  double begin = seconds_now();
  work(ProbeTurns);
  return seconds_now() - begin;
}

/* What it takes where nothing is in the way: the quickest of `seconds`, in which the other processors must sleep. One
 * that only waits in a loop would be in the way too. */
static inline double probe_alone(double seconds) {
  double quickest = 1e9, begin = seconds_now();
  do {
    double took = probe();
    if (took < quickest)
      quickest = took;
  } while (seconds_now() - begin < seconds);
  return quickest;
}

/* Reads the seconds of a probe that another process has seen. */
static inline double read_probe(const char *text) {
  double seconds = strtod(text, NULL);
  return seconds > 0 ? seconds : 1e9;
}

static inline void print_sample(const char *name, double seconds) { printf("sample %s %.4e\n", name, seconds); }

#endif
