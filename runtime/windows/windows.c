/* libstridewise_windows.so: preloaded into a program that runs under Callgrind, has the caches simulated in windows of
 * its processor time only. Between them Callgrind translates the program and instruments nothing.
 *
 * Callgrind forgets caches and counts when instrumentation starts or stops. So a window begins with a while whose
 * counts are thrown away, in which the caches fill, and each window's counts are dumped before it ends. Lengths vary,
 * so that they never fall into step with the program's own rhythm; the sequence is the same in each run.
 *
 * STRIDEWISE_WINDOWS=SKIP,WARM,COUNT: milliseconds of the process's time. Elsewhere than under Valgrind this is inert.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum phase { Skipping, Warming, Counting };

static const struct timespec Step = {0, 10 * 1000 * 1000};
static const double FirstSkip = 0.25; /* so that short programs have a window, too */

static double lengths[3]; /* in milliseconds, by phase */
static enum phase phase = Skipping;
static bool ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* From 0.5 to 1.5: a linear congruential generator (Numerical Recipes). */
static double jitter(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return 0.5 + (double)(state >> 8) / (double)(1u << 24);
}

/* Called with the lock; returns how long the next phase is. */
static double advance(void) {
  switch (phase) {
  case Skipping:
    CALLGRIND_START_INSTRUMENTATION;
    phase = Warming;
    return lengths[Warming];
  case Warming:
    CALLGRIND_ZERO_STATS;
    phase = Counting;
    return lengths[Counting];
  default:
    CALLGRIND_DUMP_STATS;
    CALLGRIND_STOP_INSTRUMENTATION;
    phase = Skipping;
    return lengths[Skipping] * jitter();
  }
}

static void *keep_time(void *unused) {
  double until = milliseconds() + lengths[Skipping] * FirstSkip;
  for (;;) {
    nanosleep(&Step, NULL); // NOLINT(stridewise-run-sleep-in-loop): a thread of its own, which only keeps time
    if (milliseconds() < until)
      continue;
    pthread_mutex_lock(&lock);
    if (ended) {
      pthread_mutex_unlock(&lock);
      return unused;
    }
    double length = advance();
    until = milliseconds() + length;
    pthread_mutex_unlock(&lock);
  }
}

/* A child has no thread that keeps time. What its parent has counted is not its own. */
static void forked(void) {
  ended = true;
  if (phase != Skipping)
    CALLGRIND_STOP_INSTRUMENTATION;
  phase = Skipping;
}

__attribute__((constructor)) static void start(void) {
  const char *asked = getenv("STRIDEWISE_WINDOWS");
  if (!RUNNING_ON_VALGRIND || !asked || sscanf(asked, "%lf,%lf,%lf", &lengths[0], &lengths[1], &lengths[2]) != 3)
    return;
  /* Signals are the program's. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, keep_time, NULL) == 0) {
    pthread_detach(thread);
    pthread_atfork(NULL, NULL, forked);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Callgrind writes at the end what it has counted since: of a window that has begun to count, its counts. */
__attribute__((destructor)) static void end(void) {
  pthread_mutex_lock(&lock);
  ended = true;
  if (phase == Warming)
    CALLGRIND_STOP_INSTRUMENTATION;
  pthread_mutex_unlock(&lock);
}
