/* A third of a second before the first region. */
#include <stdio.h>
#include <unistd.h>

#ifdef ALONE
#define THREADS num_threads(1)
#else
#define THREADS
#endif

int main(void) {
  int sum = 0;
  usleep(330000);
#pragma omp parallel for reduction(+ : sum) THREADS
  for (int i = 0; i < 1000; ++i)
    sum += i;
  printf("%d\n", sum);
}
