// Lines that must come one after the other, as loud-side-by-side.c has them that need not.
#include <stddef.h>

void note(int line);

#define STEP(x) (a = 0.5 * a + (x), b = 0.5 * b + a, c = 0.5 * c + b, d = 0.5 * d + c, e = 0.5 * e + d)

// A function that is called for each line may note their order.
void noted(const double *in, double *out, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; i < n; i++)
      out[(size_t)i * m + j] = STEP(in[(size_t)i * m + j]);
    note(j);
  }
}

// Each line ends where its data say so.
void until(const double *in, double *out, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; in[(size_t)i * m + j] > e; i++)
      out[(size_t)i * m + j] = STEP(in[(size_t)i * m + j]);
  }
}

// A line is made of the one before it.
void chained(double *out, int n, int m) {
  for (int j = 1; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; i < n; i++)
      out[(size_t)i * m + j] = STEP(out[(size_t)i * m + j - 1]);
  }
}

// A line begins with what the last one has ended with.
void carried(const double *in, double *out, int n, int m) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      out[(size_t)i * m + j] = STEP(in[(size_t)i * m + j]);
}

// Weights that go on from line to line.
void kept(const double *in, double *out, double *weight, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; i < n; i++)
      weight[i] = 0.9 * weight[i] + out[j];
    for (int i = 0; i < n; i++)
      out[(size_t)i * m + j] = STEP(weight[i] * in[(size_t)i * m + j]);
  }
}

// Lines of other lengths side by side: the loop between them has another end for each.
void ragged(const double *in, double *out, const int *blocks, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int block = 0; block < blocks[j]; block++)
      for (int i = 0; i < n; i++)
        out[((size_t)block * n + i) * m + j] = STEP(in[((size_t)block * n + i) * m + j]);
  }
}

// All of the lines' elements are side by side with another array's, which goes along them: no order serves both.
void turned(const double *in, double *out, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; i < n; i++)
      out[(size_t)j * n + i] = STEP(in[(size_t)i * m + j]);
  }
}

// As threads share it in loud-side-by-side.c: without them, data say whose line each begins with.
void shifted(double *cells, const int *first, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = cells[first[j]], b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int i = 0; i < n; i++)
      cells[(size_t)i * m + j] = STEP(cells[(size_t)i * m + j]);
  }
}
