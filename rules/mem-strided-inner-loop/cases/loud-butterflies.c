// Butterflies down the columns of an array, column by column: the spans double from round to round, whatever the column,
// so that all columns can go through each butterfly together.
#include <stdlib.h>

void columns(double *re, double *im, int nx, int ny) {
  for (int col = 0; col < nx; col++)
    for (int half = 1; half < ny; half *= 2)
      for (int k = 0; k < ny; k += 2 * half)
        // expect: mem-strided-inner-loop medium "make 'col' (line 6) the innermost loop" no-fix
        for (int l = k; l < k + half; l++) {
          double tr = re[(l + half) * nx + col], ti = im[(l + half) * nx + col];
          re[(l + half) * nx + col] = re[l * nx + col] - tr;
          im[(l + half) * nx + col] = im[l * nx + col] - ti;
          re[l * nx + col] += tr;
          im[l * nx + col] += ti;
        }
}

int main(int argc, char **argv) {
  int n = atoi(argv[argc - 1]);
  double *re = malloc(sizeof(double) * n * n), *im = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n * n; i++)
    re[i] = im[i] = i;
  for (int step = 0; step < 100; step++)
    columns(re, im, n, n);
  return re[3] > 5;
}
