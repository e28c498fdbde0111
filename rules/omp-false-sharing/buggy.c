// flags: -fopenmp
// Each thread adds up in its own element of a small array, and all these elements lie in one cache line.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 256, BINS = 4 };

struct moments {
  double first, second;
};

// The sum of all samples, with one partial sum per thread.
static double sum(const double *samples, long count) {
  double partial[MAX_THREADS] = {0.0};
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long i = 0; i < count; i++)
      // expect: omp-false-sharing high "neighbouring threads" "partial"
      partial[thread] += samples[i];
  }
  double total = 0.0;
  for (int t = 0; t < MAX_THREADS; t++)
    total += partial[t];
  return total;
}

// Sums of the samples and of their squares, in a record per thread.
static struct moments powers(const double *samples, long count) {
  struct moments *found = malloc(MAX_THREADS * sizeof *found);
  struct moments all = {0.0, 0.0};
  if (found == NULL)
    return all;
  for (int t = 0; t < MAX_THREADS; t++)
    found[t] = all;
#pragma omp parallel
  {
    struct moments *mine = &found[omp_get_thread_num()];
#pragma omp for
    for (long i = 0; i < count; i++) {
      // expect: omp-false-sharing high "neighbouring threads" "found"
      mine->first += samples[i];
      mine->second += samples[i] * samples[i];
    }
  }
  for (int t = 0; t < MAX_THREADS; t++) {
    all.first += found[t].first;
    all.second += found[t].second;
  }
  free(found);
  return all;
}

// How many samples fall into each quarter: one iteration for each of the few bins.
static void count_bins(const double *samples, long count, long bins[BINS]) {
#pragma omp parallel for
  for (int bin = 0; bin < BINS; bin++)
    for (long i = 0; i < count; i++)
      if ((int)(samples[i] * BINS / (double)(count + 1)) == bin)
        // expect: omp-false-sharing high "threads with neighbouring iterations" "bins"
        bins[bin]++;
}

// Neighbouring elements go to different threads.
static void scale(double *samples, long count, double factor) {
#pragma omp parallel for schedule(static, 1)
  for (long i = 0; i < count; i++)
    // expect: omp-false-sharing high "threads with neighbouring iterations" "samples"
    samples[i] *= factor;
}

// Written once per thread: nothing moves back and forth.
static int team_size(void) {
  int present[MAX_THREADS] = {0}, size = 0;
#pragma omp parallel
  present[omp_get_thread_num()] = 1;
  for (int t = 0; t < MAX_THREADS; t++)
    size += present[t];
  return size;
}

int main(void) {
  const long count = 2000000;
  double *samples = malloc((size_t)count * sizeof *samples);
  if (samples == NULL || team_size() < 1)
    return 1;
#pragma omp parallel for
  for (long i = 0; i < count; i++)
    samples[i] = (double)(count - i);
  const struct moments sums = powers(samples, count);
  long bins[BINS] = {0};
  count_bins(samples, count, bins);
  printf("%g %g %ld %ld %ld %ld\n", sums.first, sums.second, bins[0], bins[1], bins[2], bins[3]);
  scale(samples, count, 0.5);
  printf("%.1f\n", sum(samples, count));
  free(samples);
  return 0;
}
