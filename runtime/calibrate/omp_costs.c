/* What each OpenMP construct costs with one team size, after EPCC's OpenMP microbenchmarks (Bull, 1999): the construct
 * is repeated n times, the time of the work in it is subtracted, n is chosen so that the clock's step does not matter.
 *
 *   PROGRAM SECONDS CPU,CPU,… [PROBE]      one thread is bound to each processor
 *
 * PROBE is the shortest `info probe` that another process of the same calibration has printed.
 *
 * Rounds over all constructs follow one another until the seconds are over, so that a disturbance of the machine meets
 * all of them alike and their order is kept. Rounds in which the processors got in each other's way are left out, and
 * others measured for them, within a quarter more of the seconds; `info disturbed N of M` says how many. If all were,
 * they are better than nothing.
 */
#include "measure.h"

#include <dlfcn.h>
#include <omp.h>

#ifdef __clang__
#define COMPILER_NAME "clang " __clang_version__
#else
#define COMPILER_NAME "gcc " __VERSION__
#endif

enum { IterationsPerThread = 128, FewestRounds = 5, MostRounds = 201 };

static int cpus[MostCpus];
static int threads;
static long iteration_turns; /* of the work in loops */
static double shared_sum;

static inline void keep(int value) { __asm__ volatile("" ::"r"(value) : "memory"); }

/* --- the constructs: each runs n times, and returns the elapsed seconds ---------------------------------------------
 */

static double of_parallel(long n) {
  double begin = seconds_now();
  for (long k = 0; k < n; ++k) {
#pragma omp parallel
    keep(omp_get_thread_num());
  }
  return seconds_now() - begin;
}

static double of_parallel_for(long n) {
  double begin = seconds_now();
  for (long k = 0; k < n; ++k) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < threads; ++i)
      keep(i);
  }
  return seconds_now() - begin;
}

static double of_reduction(long n) {
  double begin = seconds_now(), sum = 0;
  for (long k = 0; k < n; ++k) {
#pragma omp parallel reduction(+ : sum)
    sum += 1;
  }
  shared_sum += sum;
  return seconds_now() - begin;
}

/* Inside one region: TEAM is what each thread does. The clock is read by one thread, between barriers. */
#define IN_REGION(TEAM)                                                                                                \
  double begin = 0, end = 0;                                                                                           \
  _Pragma("omp parallel") {                                                                                            \
    _Pragma("omp barrier") _Pragma("omp master") begin = seconds_now();                                                \
    _Pragma("omp barrier") TEAM _Pragma("omp barrier") _Pragma("omp master") end = seconds_now();                      \
  }                                                                                                                    \
  return end - begin;

static double of_barrier(long n) { IN_REGION(for (long k = 0; k < n; ++k){_Pragma("omp barrier")}) }

static double of_for(long n) {
  IN_REGION(
      for (long k = 0; k < n; ++k) { _Pragma("omp for schedule(static)") for (int i = 0; i < threads; ++i) keep(i); })
}

static double of_for_nowait(long n) {
  IN_REGION(for (long k = 0; k < n;
                 ++k) { _Pragma("omp for schedule(static) nowait") for (int i = 0; i < threads; ++i) keep(i); })
}

static double of_single(long n) {
  IN_REGION(for (long k = 0; k < n; ++k) { _Pragma("omp single") keep(1); })
}

/* n passes of the whole team: what is serialised takes the sum of all threads. */
static double of_critical(long n) {
  IN_REGION(for (long k = 0; k < n / threads; ++k) { _Pragma("omp critical(stridewise_calibrate)") shared_sum += 1; })
}

static double of_atomic(long n) {
  IN_REGION(for (long k = 0; k < n / threads; ++k) { _Pragma("omp atomic") shared_sum += 1; })
}

static omp_lock_t the_lock;

static double of_lock(long n) {
  IN_REGION(for (long k = 0; k < n / threads; ++k) {
    omp_set_lock(&the_lock);
    shared_sum += 1;
    omp_unset_lock(&the_lock);
  })
}

/* Each thread updates a slot of its own: next to the others' ones, or in a line of its own. n updates by each. */
enum { Apart = 16 };
static _Alignas(128) volatile double slots[MostCpus * Apart];

static double of_slots(long n, int distance) {
  IN_REGION({
    volatile double *mine = &slots[omp_get_thread_num() * distance];
    for (long k = 0; k < n; ++k)
      *mine += 1;
  })
}

static double of_slots_shared(long n) { return of_slots(n, 1); }
static double of_slots_private(long n) { return of_slots(n, Apart); }

static double of_task(long n) {
  double begin = seconds_now();
#pragma omp parallel
#pragma omp single
  {
    for (long k = 0; k < n; ++k) {
#pragma omp task firstprivate(k)
      keep((int)k);
      if (k % 1024 == 1023) { /* keeps the queue as short as a program's */
#pragma omp taskwait
      }
    }
  }
  return seconds_now() - begin;
}

/* n loops of 128 iterations for each thread, EPCC's number and that of the XT4 study. Their work is a fifth of EPCC's,
 * so that what a schedule adds stands out from it. */
#define LOOPS(SCHEDULE)                                                                                                \
  int count = threads * IterationsPerThread;                                                                           \
  IN_REGION(for (long k = 0; k < n; ++k) { _Pragma(SCHEDULE) for (int i = 0; i < count; ++i) work(iteration_turns); })

static double of_static(long n) { LOOPS("omp for schedule(static)") }
static double of_static_1(long n) { LOOPS("omp for schedule(static, 1)") }
static double of_static_64(long n) { LOOPS("omp for schedule(static, 64)") }
static double of_dynamic_1(long n) { LOOPS("omp for schedule(dynamic, 1)") }
static double of_dynamic_8(long n) { LOOPS("omp for schedule(dynamic, 8)") }
static double of_dynamic_64(long n) { LOOPS("omp for schedule(dynamic, 64)") }
static double of_guided_1(long n) { LOOPS("omp for schedule(guided, 1)") }
static double of_guided_64(long n) { LOOPS("omp for schedule(guided, 64)") }

/* The work of those loops alone, on all threads at a time: whatever slows these down must not look like a loop's cost.
 */
static double of_iterations(long n) {
  IN_REGION(for (long k = 0; k < n * IterationsPerThread; ++k) work(iteration_turns);)
}

static struct {
  const char *name;
  double (*run)(long);
  long n; /* repetitions */
} constructs[] = {
    {"parallel", of_parallel, 0},
    {"parallel_for", of_parallel_for, 0},
    {"reduction", of_reduction, 0},
    {"barrier", of_barrier, 0},
    {"for", of_for, 0},
    {"for_nowait", of_for_nowait, 0},
    {"single", of_single, 0},
    {"critical", of_critical, 0},
    {"lock", of_lock, 0},
    {"atomic", of_atomic, 0},
    {"task", of_task, 0},
    {"slots_shared", of_slots_shared, 0},
    {"slots_private", of_slots_private, 0},
    {"iterations", of_iterations, 0},
    {"loop_static", of_static, 0},
    {"loop_static_1", of_static_1, 0},
    {"loop_static_64", of_static_64, 0},
    {"loop_dynamic_1", of_dynamic_1, 0},
    {"loop_dynamic_8", of_dynamic_8, 0},
    {"loop_dynamic_64", of_dynamic_64, 0},
    {"loop_guided_1", of_guided_1, 0},
    {"loop_guided_64", of_guided_64, 0},
};
enum { Constructs = sizeof constructs / sizeof constructs[0] };

/* The quickest of a few runs: others may use the machine at times. */
static double quickest(double (*run)(long), long n) {
  double best = run(n);
  for (int attempt = 0; attempt < 3; ++attempt) {
    double took = run(n);
    if (took < best)
      best = took;
  }
  return best;
}

/* Runs long enough for the processor to reach its speed, then finds the turns of 20 ns. */
static void choose_work(void) {
  for (double begin = seconds_now(); seconds_now() - begin < 0.05;)
    work(1000);
  iteration_turns = 1;
  while (iteration_turns < 1000000 && quickest(of_iterations, 50) < 50 * IterationsPerThread * 20e-9)
    iteration_turns += 1 + iteration_turns / 8;
}

/* Repetitions that take as long as a sample should. */
static void choose_repetitions(double sample_seconds) {
  for (int c = 0; c < Constructs; ++c) {
    long n = threads;
    (void)constructs[c].run(n);
    for (double took; n < 1L << 30 && (took = quickest(constructs[c].run, n)) < sample_seconds;) {
      double factor = took > 0 ? 1.2 * sample_seconds / took : 10;
      n = (long)((double)n * (factor < 1.5 ? 1.5 : factor > 10 ? 10 : factor)) + 1;
    }
    constructs[c].n = n;
  }
}

static double alone; /* the seconds of a probe before there were other threads */

/* Whether the team's processors get in each other's way now: the longest probe of all at a time, against one alone. */
static int disturbed(void) {
  double longest = 0;
#pragma omp parallel reduction(max : longest)
  {
#pragma omp barrier
    longest = probe();
  }
  return longest > InTheWay * alone;
}

static void settle(double seconds) {
  double begin = seconds_now();
  for (int quiet = 0; quiet < QuietProbes && seconds_now() - begin < seconds;)
    quiet = disturbed() ? 0 : quiet + 1;
}

static struct {
  double seconds[Constructs];
  int disturbed;
} rounds[MostRounds];

/* Fills rounds until the seconds since `begin` are over; returns how many, in *quiet those that count. */
static int measure_rounds(double begin, double budget, int *quiet) {
  int count = 0, before = disturbed();
  for (*quiet = 0; count < MostRounds; ++count) {
    double most = count < FewestRounds ? 3 : *quiet < FewestRounds ? 1.25 : 1;
    if (count && seconds_now() - begin > most * budget) /* one at least, however long the preparation took */
      break;
    for (int c = 0; c < Constructs; ++c)
      rounds[count].seconds[c] = constructs[c].run(constructs[c].n) / (double)constructs[c].n;
    int after = disturbed();
    rounds[count].disturbed = before || after;
    *quiet += !rounds[count].disturbed;
    before = after;
  }
  return count;
}

static const char *runtime_name(void) {
  /* Asked of the process: a program built for one runtime can be made to run on the other. */
  return dlsym(RTLD_DEFAULT, "kmp_get_blocktime") ? "libomp" : "libgomp";
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    refuse("usage: PROGRAM SECONDS CPU,CPU,... [PROBE]");
  double budget = read_seconds(argv[1]), begin = seconds_now();
  threads = read_cpus(argv[2], cpus);
  pin(cpus[0]);
  alone = probe_alone(0.02); /* which is long enough for the processor to reach its speed */
  printf("info probe %.4e\n", alone);
  if (argc == 4 && read_probe(argv[3]) < alone)
    alone = read_probe(argv[3]);
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  omp_init_lock(&the_lock);
  int team = 0;
#pragma omp parallel
  {
    pin(cpus[omp_get_thread_num() % threads]);
#pragma omp master
    team = omp_get_num_threads();
  }
  if (team != threads)
    refuse("the OpenMP runtime gave fewer threads than were asked for (OMP_THREAD_LIMIT?)");
  printf("info runtime %s\ninfo compiler %s\n", runtime_name(), COMPILER_NAME);

  settle(LongestSettling * budget);
  begin = seconds_now();
  choose_work();
  /* Short samples, many of them: what else the machine does hits few of them then. Never below 5,000 steps of the
   * clock. */
  double sample = budget / 150 / Constructs, least = 5000 * clock_step();
  choose_repetitions(sample > least ? sample : least);
  int quiet = 0, count = measure_rounds(begin, budget, &quiet);
  printf("info disturbed %d of %d\n", count - quiet, count);
  for (int round = 0; round < count; ++round) {
    if (quiet && rounds[round].disturbed)
      continue;
    for (int c = 0; c < Constructs; ++c)
      print_sample(constructs[c].name, rounds[round].seconds[c]);
  }
  omp_destroy_lock(&the_lock);
  return shared_sum < 0;
}
