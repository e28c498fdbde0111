// flags: -fopenmp
// Two declared arrays never overlap, so the counter of the first function lives in a register although the loop also
// counts in another array. What a pointer leads to may be anywhere, and then each write is done.
#include <omp.h>

#define THREADS 64

static long moved[THREADS], seen[THREADS];
static struct {
  long count;
  char pad[56];
} lost[THREADS];

void push(double *place, const double *speed, long count) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for schedule(static)
    for (long i = 0; i < count; i++) {
      place[i] += speed[i];
      if (place[i] > 1.0) {
        place[i] -= 1.0;
        lost[thread].count++;
      }
      moved[thread]++;
    }
  }
}

void look(const long *key, long *next, long count) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for schedule(static)
    for (long i = 0; i < count; i++) {
      next[i] = key[i] + 1;
      // No pointer from elsewhere leads to an array of this unit whose address nobody takes, as compilers see.
      // expect: omp-false-sharing medium "neighbouring threads" "seen"
      seen[thread]++;
    }
  }
}
