// Looks like loud-butterflies.c: here the span is another one in each column, so that the columns cannot share it; and
// here each column goes on with what the one before has left, so that nothing is shown by default.
#include <stdlib.h>

void ragged(double *re, int nx, int ny, const int *first) {
  for (int col = 0; col < nx; col++)
    for (int half = first[col]; half < ny; half *= 2)
      for (int k = 0; k < ny; k += 2 * half)
        for (int l = k; l < k + half; l++)
          re[(l + half) * nx + col] -= re[l * nx + col];
}

void chained(double *re, int nx, int ny) {
  for (int col = 1; col < nx; col++)
    for (int half = 1; half < ny; half *= 2)
      for (int k = 0; k < ny; k += 2 * half)
        // expect: mem-strided-inner-loop low no-fix
        for (int l = k; l < k + half; l++)
          re[l * nx + col] += re[(l + half) * nx + col - 1];
}

int main(int argc, char **argv) {
  int n = atoi(argv[argc - 1]), *first = malloc(sizeof(int) * n);
  double *re = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n; i++)
    first[i] = i + 1;
  for (int i = 0; i < n * n; i++)
    re[i] = i;
  for (int step = 0; step < 100; step++) {
    ragged(re, n, n, first);
    chained(re, n, n);
  }
  return re[3] > 5;
}
