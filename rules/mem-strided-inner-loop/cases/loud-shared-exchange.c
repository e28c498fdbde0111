// flags: -fopenmp
// Threads may divide the other loop, where its iterations are as independent as those that they divide now.
#include <stdio.h>
#include <stdlib.h>

enum { Width = 900, Height = 700 };

static void smooth(double *restrict out, const double *restrict in) {
#pragma omp for schedule(static)
  for (int y = 1; y < Height - 1; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" unsafe-fix
    for (int x = 1; x < Width - 1; x++)
      out[x * Height + y] = 0.5 * in[x * Height + y] + 0.25 * (in[(x - 1) * Height + y] + in[x * Height + y + 1]);
}

static void halve(double *restrict out, const double *restrict in) {
#pragma omp parallel for
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" unsafe-fix
    for (int x = 0; x < Width; x++)
      out[x * Height + y] = 0.5 * in[x * Height + y];
}

// Each row is summed by one thread.
static void sums(double *restrict sum, const double *restrict in) {
#pragma omp parallel for
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" no-fix
    for (int x = 0; x < Width; x++)
      sum[y] += in[x * Height + y];
}

// The last cell of each row is kept.
static void ends(double *restrict last, const double *restrict in) {
#pragma omp parallel for
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" no-fix
    for (int x = 0; x < Width; x++)
      if (in[x * Height + y] > 2.0)
        last[y] = in[x * Height + y];
}

// Along a column each cell needs the one before it.
static void carry(double *table) {
#pragma omp parallel for
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" no-fix
    for (int x = 1; x < Width; x++)
      table[x * Height + y] += 0.5 * table[(x - 1) * Height + y];
}

int main(void) {
  double *a = malloc((size_t)Width * Height * sizeof *a), *b = malloc((size_t)Width * Height * sizeof *b);
  double *sum = calloc(Height, sizeof *sum);
  if (!a || !b || !sum)
    return 1;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < Width * Height; i++) {
    a[i] = i % 13;
    b[i] = 0.0;
  }
#pragma omp parallel
  smooth(b, a);
  halve(a, b);
  carry(a);
  sums(sum, a);
  ends(sum, a);
  double all = b[3];
  for (int y = 0; y < Height; y++)
    all += sum[y] * (y % 3);
  printf("%.6f\n", all);
  free(a);
  free(b);
  free(sum);
  return 0;
}
