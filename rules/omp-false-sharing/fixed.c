// flags: -fopenmp
// Each thread adds up in a variable of its own, and writes to memory that others write nearby only once.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 256, BINS = 4 };

// One cache line for each thread.
struct moments {
  double first, second;
  char padding[64 - 2 * sizeof(double)];
};

// The sum of all samples.
static double sum(const double *samples, long count) {
  double total = 0.0;
#pragma omp parallel for reduction(+ : total)
  for (long i = 0; i < count; i++)
    total += samples[i];
  return total;
}

// Sums of the samples and of their squares, in a padded record per thread.
static struct moments powers(const double *samples, long count) {
  struct moments *found = aligned_alloc(64, MAX_THREADS * sizeof *found);
  struct moments all = {.first = 0.0, .second = 0.0};
  if (found == NULL)
    return all;
  for (int t = 0; t < MAX_THREADS; t++)
    found[t] = all;
#pragma omp parallel
  {
    struct moments *mine = &found[omp_get_thread_num()];
#pragma omp for
    for (long i = 0; i < count; i++) {
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

// How many samples fall into each quarter: a local count, stored once.
static void count_bins(const double *samples, long count, long bins[BINS]) {
#pragma omp parallel for
  for (int bin = 0; bin < BINS; bin++) {
    long inside = 0;
    for (long i = 0; i < count; i++)
      if ((int)(samples[i] * BINS / (double)(count + 1)) == bin)
        inside++;
    bins[bin] = inside;
  }
}

// Each thread has one block of neighbouring elements.
static void scale(double *samples, long count, double factor) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; i++)
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
