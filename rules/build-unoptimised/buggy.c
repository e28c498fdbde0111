// One smoothing sweep after the other over a signal: as compiled by a make that sets no level.
// flags: -O0
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1 << 16, SWEEPS = 200 };

static void smooth(const double *restrict from, double *restrict to, int points) {
  for (int i = 1; i < points - 1; i++)
    to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

static double sum(const double *signal, int points) {
  double total = 0.0;
  for (int i = 0; i < points; i++)
    total += signal[i];
  return total;
}

// expect: build-unoptimised high "every value of its loops goes through memory" "without optimisation"
int main(void) {
  double *signal = malloc(POINTS * sizeof *signal);
  double *next = malloc(POINTS * sizeof *next);
  if (!signal || !next)
    return 1;
  for (int i = 0; i < POINTS; i++)
    signal[i] = next[i] = i % 97;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    smooth(signal, next, POINTS);
    double *swap = signal;
    signal = next;
    next = swap;
  }
  printf("%.6f\n", sum(signal, POINTS) / POINTS);
  free(signal);
  free(next);
  return 0;
}
