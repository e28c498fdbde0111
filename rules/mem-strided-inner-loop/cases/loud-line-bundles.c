// Lines that are copied into a buffer one after the other, worked on there, and written back: their order must stay,
// but neighbours share every cache line that a copy fetches.
// flags: -fopenmp
#include <stdlib.h>
#define N 1024

typedef struct {
  double re, im;
} complex_t;

static complex_t grid[N][N];

void transform(complex_t *line, int n);
void solve(const double *low, const double *mid, const double *up, double *right, double *out, int n);

// Iterations of a shared loop depend on each other in no way.
void transform_columns(int n) {
#pragma omp parallel
  {
    complex_t *line = malloc(n * sizeof(complex_t));
#pragma omp for
    for (int j = 0; j < n; j++) {
      // expect: mem-strided-inner-loop medium "16384 bytes" "copy 4 neighbouring lines, iterations of 'j' (line 22), in one pass over 'i'" "same cache lines"
      for (int i = 0; i < n; i++)
        line[i] = grid[i][j];
      transform(line, n);
      // expect: mem-strided-inner-loop medium "16384 bytes" "copy 4 neighbouring lines, iterations of 'j' (line 22), in one pass over 'i'" "same cache lines"
      for (int i = 0; i < n; i++)
        grid[i][j] = line[i];
    }
    free(line);
  }
}

// Rows behind pointers, coefficients along the line, a buffer for each line.
void solve_columns(double ***value, double ***mixing, const double *depth, int planes, int rows, int columns) {
  for (int row = 1; row < rows; row++)
    for (int column = 1; column < columns; column++) {
      double *low = malloc(planes * sizeof *low), *mid = malloc(planes * sizeof *mid), *up = malloc(planes * sizeof *up);
      double *right = malloc(planes * sizeof *right), *out = malloc(planes * sizeof *out);
      // expect: mem-strided-inner-loop medium "from row to row" "over 'column' the step is 8 bytes" "copy 8 neighbouring lines" "provided that no line needs the result of another"
      for (int plane = 0; plane < planes; plane++) {
        low[plane] = plane > 0 ? -mixing[plane][row][column] / depth[plane] : 0.0;
        up[plane] = plane < planes - 1 ? -mixing[plane + 1][row][column] / depth[plane] : 0.0;
        mid[plane] = 1.0 - low[plane] - up[plane];
        right[plane] = value[plane][row][column];
      }
      solve(low, mid, up, right, out, planes);
      // expect: mem-strided-inner-loop medium "from row to row" "over 'column' the step is 8 bytes" "copy 8 neighbouring lines" "provided that no line needs the result of another"
      for (int plane = 0; plane < planes; plane++)
        value[plane][row][column] = out[plane];
      free(low), free(mid), free(up), free(right), free(out);
    }
}
