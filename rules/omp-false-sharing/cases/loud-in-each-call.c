// flags: -fopenmp
// A generator of random numbers keeps the states of all threads side by side; other units call it.
#include <omp.h>
#include <stdint.h>

#define THREADS 64

static uint64_t state[THREADS];
static double spent[THREADS], begun[THREADS];
static long steps[THREADS];

double next_random(void) {
  const int t = omp_get_thread_num();
  // expect: omp-false-sharing medium "'state' moves from core to core at each write in each call of 'next_random'" "8 bytes apart"
  state[t] = state[t] * 2806196910506780709ULL + 1ULL;
  return (double)(state[t] >> 11) * 0x1p-53;
}

// Written, and not read: a start.
void seed_random(uint64_t seed) { state[omp_get_thread_num()] = seed; }

// Between phases.
void start_timer(void) { begun[omp_get_thread_num()] = omp_get_wtime(); }
void stop_timer(void) { spent[omp_get_thread_num()] += omp_get_wtime() - begun[omp_get_thread_num()]; }

// Beside a loop, one write does not show.
void relax(double *x, int n) {
  for (int i = 1; i < n; i++)
    x[i] = 0.5 * (x[i] + x[i - 1]);
  steps[omp_get_thread_num()]++;
}

// Every call is seen, and none is in a loop.
long visits[THREADS];
void visit(void) { visits[omp_get_thread_num()]++; }

// The code around the team calls it, too.
long phases[THREADS];
void count_phase(void) { phases[omp_get_thread_num()]++; }

int main(void) {
  double sum = 0.0;
#pragma omp parallel reduction(+ : sum)
  {
    visit();
    seed_random((uint64_t)omp_get_thread_num());
    for (int i = 0; i < 100000; i++)
      sum += next_random();
  }
  for (int i = 0; i < 10; i++)
    count_phase();
  return sum < 1.0;
}
