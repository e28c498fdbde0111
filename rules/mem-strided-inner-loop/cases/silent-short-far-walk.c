// Streams that prefetchers follow, in different sets; and a cell that does more than one such walk.
#define CELLS 73728
#define PADDED (CELLS + 8)
#define GROUPS 32
#define DIRECTIONS 19

double leaked(const double *flux) {
  double sum = 0;
  for (long c = 0; c < CELLS; c++)
    for (int g = 0; g < GROUPS; g++)
      sum += flux[(long)g * PADDED + c];
  return sum;
}

void relax(double *f, double rate, long cells) {
  for (long c = 0; c < cells; c++) {
    double density = 0;
    for (int d = 0; d < DIRECTIONS; d++)
      density += f[d * cells + c];
    for (int d = 0; d < DIRECTIONS; d++)
      f[d * cells + c] -= rate * (f[d * cells + c] - density / DIRECTIONS);
  }
}
