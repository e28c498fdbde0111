// Factors from a table whose row the material of a cell chooses. There are a few materials and many cells: the table
// stays in the cache, and nothing is transposed.
#include <stdio.h>
#include <stdlib.h>

struct material {
  double **scatter;
};

static void scatter_in(const struct material *materials, const int *kind, const double *flux, double *source,
                       int groups, long cells) {
  for (int g = 0; g < groups; g++)
    for (long c = 0; c < cells; c++)
      source[g * cells + c] += materials[kind[c]].scatter[0][g] * flux[g * cells + c];
}

// The sums of a few clusters, whose row the label of a point chooses; the points are kept by their coordinates.
static void add_points(const double *points, const int *label, double sums[][8], long count, int dimensions) {
  for (long i = 0; i < count; i++)
    for (int d = 0; d < dimensions; d++)
      sums[label[i]][d] += points[d * count + i] * 0.5;
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 100000;
  const int few = argc > 2 ? atoi(argv[2]) : 8;
  static double sums[16][8];
  double *flux = malloc(n * few * sizeof *flux), *source = calloc(n * few, sizeof *source), row[8] = {1.0};
  double *rows[1] = {row};
  struct material materials[2] = {{rows}, {rows}};
  int *kind = malloc(n * sizeof *kind);
  if (!flux || !source || !kind || few > 8)
    return 1;
  for (long c = 0; c < n; c++)
    kind[c] = c % 2;
  for (long c = 0; c < n * few; c++)
    flux[c] = 1.0;
  for (int step = 0; step < 10; step++) {
    scatter_in(materials, kind, flux, source, few, n);
    add_points(flux, kind, sums, n, few);
  }
  printf("%g %g\n", source[n], sums[1][1]);
  return 0;
}
