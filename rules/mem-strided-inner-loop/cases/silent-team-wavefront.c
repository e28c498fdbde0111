// flags: -fopenmp
// The planes of a wavefront wait for each other, the cells of a plane do not: with the loop over the planes innermost,
// threads would divide what depends on each other.
#include <stddef.h>

static int NX, NY, NZ;
#define CELL(i, j, k) ((((size_t)(k) - 1) * NY + ((j) - 1)) * NX + ((i) - 1))

void sweep(double *flux, const double *source, const double *sigma) {
#pragma omp parallel
  for (int front = 3; front <= NX + NY + NZ; front++) {
#pragma omp for schedule(static)
    for (int k = 1; k <= NZ; k++)
      for (int j = 1; j <= NY; j++) {
        const int i = front - j - k;
        if (i < 1 || i > NX)
          continue;
        double in = 0.0;
        if (i > 1)
          in += flux[CELL(i - 1, j, k)];
        if (j > 1)
          in += flux[CELL(i, j - 1, k)];
        if (k > 1)
          in += flux[CELL(i, j, k - 1)];
        flux[CELL(i, j, k)] = (source[CELL(i, j, k)] + in) / (sigma[CELL(i, j, k)] + 3.0);
      }
  }
}
