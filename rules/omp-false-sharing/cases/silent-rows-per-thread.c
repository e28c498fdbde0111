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

void in_block(const int *keys, long count, int bins, long *block) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long i = 0; i < count; i++)
      block[(long)thread * bins + keys[i]]++;
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
