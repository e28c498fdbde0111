// Threads of pthread_create write neighbouring elements of an array; the first thread has one of them, too.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2
// twin: each keeps its sum in a variable of its own
#include <pthread.h>
#include <stdio.h>

static double sums[4];

static void *add(void *argument) {
  long slot = (long)argument;
#ifdef TWIN
  double sum = 0;
  for (int i = 0; i < 1000000; i++)
    sum += 0.5 * i;
  sums[slot] = sum;
#else
  volatile double *mine = &sums[slot];
  for (int i = 0; i < 1000000; i++)
    *mine += 0.5 * i; // @count
#endif
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, add, (void *)(i + 1));
  add((void *)0);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("%g\n", sums[0] + sums[1] + sums[2] + sums[3]);
  return 0;
}
