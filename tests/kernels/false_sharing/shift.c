/* Each thread counts in its own element of an array of ints, SHIFT elements from the next thread's, as in an OpenMP
 * lecture on performance. The array begins OFFSET bytes behind the start of a cache line.
 *
 *   shift SHIFT OFFSET REPEATS
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const int shift = atoi(argv[1]), offset = atoi(argv[2]), threads = omp_get_max_threads();
  const long repeats = atol(argv[3]);
  void *lines = NULL;
  if (posix_memalign(&lines, 64, (size_t)(offset + 4 * shift * threads + 4)) != 0)
    return 1;
  int *a = (int *)((char *)lines + offset);
  for (int i = 0; i < shift * threads; i++)
    a[i] = 0;
#pragma omp parallel
  {
    volatile int *mine = &a[omp_get_thread_num() * shift];
#pragma omp barrier
    for (long i = 0; i < repeats; i++)
      *mine = *mine + 1;
  }
  long sum = 0;
  for (int t = 0; t < threads; t++)
    sum += a[t * shift];
  printf("%ld\n", sum);
  free(lines);
  return 0;
}
