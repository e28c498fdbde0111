// flags: -fopenmp
// Each thread has a long row of its own: only the ends of the rows share lines.
#include <omp.h>
#include <stdlib.h>

enum { BINS = 256, THREADS = 64 };

static long table[THREADS][BINS];

void in_table(const unsigned char *keys, long count) {
#pragma omp parallel
  {
    long *row = table[omp_get_thread_num()];
#pragma omp for
    for (long i = 0; i < count; i++)
      row[keys[i]]++;
  }
}

// Rows of whole lines.
void in_block(const int *keys, long count, int bins, long *block) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    const int pitch = 8 * ((bins + 7) / 8);
#pragma omp for
    for (long i = 0; i < count; i++)
      block[(long)thread * pitch + keys[i]]++;
  }
}

// Rows that the team divides when it adds them up are worth dividing.
void divided(const int *keys, long count, int bins, long *block, int threads, long *all) {
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long i = 0; i < count; i++)
      block[(long)thread * bins + keys[i]]++;
    for (int t = 0; t < threads; t++)
#pragma omp for schedule(static) nowait
      for (int bin = 0; bin < bins; bin++)
        all[bin] += block[(long)t * bins + bin];
  }
}

// Each thread walks along its row, line by line.
void clear(int bins, double *block, const double *values) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    for (int bin = 0; bin < bins; bin++)
      block[(long)thread * bins + bin] += values[bin];
  }
}

void on_heap(const int *keys, long count, int bins, long **rows) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    rows[thread] = calloc((size_t)bins, sizeof(long));
#pragma omp for
    for (long i = 0; i < count; i++)
      rows[thread][keys[i]]++;
  }
}
