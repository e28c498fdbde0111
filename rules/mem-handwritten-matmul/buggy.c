// Overlap of two sets of functions sampled on the same points: one row per function on the left, one column on the right.
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = 400, POINTS = 500 };

static void overlap(int rows, int columns, int points, const double *bra, const double *ket, double *out) {
  // expect: mem-handwritten-matmul high "the inner loop over 'p' steps 3200 bytes through 'ket'" " of 'bra' and 'ket'"
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = 0.0;
      // expect: mem-strided-inner-loop high "3200 bytes" "8 bytes"
      for (int p = 0; p < points; p++)
        sum += bra[i * points + p] * ket[p * columns + j];
      out[i * columns + j] = sum;
    }
}

static double trace(int order, const double *matrix) {
  double sum = 0.0;
  for (int i = 0; i < order; i++)
    sum += matrix[i * order + i];
  return sum;
}

// Every row by the same small rotation: too short to be worth a call.
static void rotate(int points, double (*place)[3], const double turn[3][3]) {
  for (int p = 0; p < points; p++) {
    double turned[3] = {0.0, 0.0, 0.0};
    for (int row = 0; row < 3; row++)
      for (int column = 0; column < 3; column++)
        turned[row] += turn[row][column] * place[p][column];
    for (int row = 0; row < 3; row++)
      place[p][row] = turned[row];
  }
}

// Weights of a window that slides over the samples: each step uses other elements of one row, and no matrix.
static void smooth(int rows, int points, int width, const double *window, const double *in, double *out) {
  for (int i = 0; i < rows; i++)
    for (int p = 0; p < points - width; p++)
      for (int w = 0; w < width; w++)
        out[i * points + p] += window[w] * in[i * points + p + w];
}

int main(void) {
  static double place[POINTS][3];
  const double quarter[3][3] = {{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
  const double window[] = {0.25, 0.5, 0.25};
  double *bra = malloc(sizeof *bra * FUNCTIONS * POINTS);
  double *raw = malloc(sizeof *raw * FUNCTIONS * POINTS);
  double *ket = calloc((size_t)FUNCTIONS * POINTS, sizeof *ket);
  double *out = malloc(sizeof *out * FUNCTIONS * FUNCTIONS);
  if (bra == NULL || raw == NULL || ket == NULL || out == NULL)
    return 1;
  for (int k = 0; k < FUNCTIONS * POINTS; k++) {
    bra[k] = k % 17;
    raw[k] = k % 13;
  }
  for (int p = 0; p < POINTS; p++)
    for (int c = 0; c < 3; c++)
      place[p][c] = p + c;
  smooth(POINTS, FUNCTIONS, 3, window, raw, ket);
  rotate(POINTS, place, quarter);
  overlap(FUNCTIONS, FUNCTIONS, POINTS, bra, ket, out);
  printf("%.3f %.1f\n", trace(FUNCTIONS, out), place[9][0]);
  free(bra);
  free(raw);
  free(ket);
  free(out);
  return 0;
}
