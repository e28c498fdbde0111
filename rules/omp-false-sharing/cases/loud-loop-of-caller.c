// flags: -fopenmp
// The loop that repeats the write stands in a caller of the function that asks for the thread; the team is another unit's.
#include <omp.h>
#include <stddef.h>

extern int threads, groups;
extern double *tally, *line_sums;
double flight(double *position);
void checkpoint(void);

static void score(size_t cell, size_t group, double length) {
  const int t = omp_get_thread_num();
  // expect: omp-false-sharing medium "'tally' moves from core to core at each write in the loop at line 20" "8 bytes apart"
  tally[(cell * (size_t)groups + group) * (size_t)threads + (size_t)t] += length;
}

void follow(double position, double end) {
  double length;
  size_t cell = 0;
  while (position < end) {
    length = flight(&position);
    score(cell++, 0, length);
  }
}

// Rows of a line each keep the threads apart.
static void score_line(double length) { line_sums[8 * omp_get_thread_num()] += length; }

void follow_line(double position, double end) {
  while (position < end)
    score_line(flight(&position));
}

// Code around teams counts by itself, in no team.
extern long phases[];
static void count_phase(void) { phases[omp_get_thread_num()] += 1; }

void drive(double *x, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] *= 0.5;
    count_phase();
  }
}
