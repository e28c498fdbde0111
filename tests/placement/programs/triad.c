/* Two vectors filled by one thread (SERIAL) or by the team, then used by the team; and a static one, always by the
 * team. */
#include <stdio.h>
#include <stdlib.h>

enum { Count = 1500000, Repeats = 12 };

static double shared_sums[Count];

int main(void) {
  double *to = malloc(Count * sizeof *to);     /* to */
  double *from = malloc(Count * sizeof *from); /* from */
  if (!to || !from)
    return 1;
#ifndef SERIAL
#pragma omp parallel for schedule(static)
#endif
  for (int i = 0; i < Count; i++) {
    to[i] = 1.0 + i % 3;
    from[i] = i % 10;
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < Count; i++)
    shared_sums[i] = 0;
  for (int repeat = 0; repeat < Repeats; repeat++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < Count; i++) {
      to[i] = to[i] / 3 + from[i];
      shared_sums[i] += to[i];
    }
  }
  double sum = 0;
  for (int i = 0; i < Count; i += 1000)
    sum += shared_sums[i];
  printf("%.6f\n", sum);
  free(to);
  free(from);
  return 0;
}
