// flags: -fopenmp
// Lines that are solved one by one, each in rows of its own: what a recurrence finds before the first element that its
// loop fills was put there in the same iteration. With a dimension more the rows hold all lines at once.
#include <stdlib.h>
#define N 512
#define AT(i, j) ((i) * N + (j))

void solve(const double *rho, const double *u, double *out, double r) {
#pragma omp parallel for schedule(static)
  for (int j = 1; j < N - 1; j++) {
    double c[N], d[N];
    c[0] = 0.0;
    d[0] = 0.0;
    // expect: mem-strided-inner-loop medium "4096 bytes" "'c' and 'd' get a dimension more"
    // expect: mem-power-of-two-stride high
    for (int i = 1; i < N - 1; i++) {
      const double m = 1.0 / (r + 2.0 - c[i - 1]);
      c[i] = m;
      d[i] = (r * rho[AT(i, j)] + u[AT(i, j)] + d[i - 1]) * m;
    }
    out[AT(N - 1, j)] = 0.0;
    // expect: mem-strided-inner-loop medium "4096 bytes" "'c' and 'd' get a dimension more"
    // expect: mem-power-of-two-stride high
    for (int i = N - 2; i > 0; i--)
      out[AT(i, j)] = d[i] + c[i] * out[AT(i + 1, j)];
  }
}

// Two elements back, of lines of unknown length.
void filter(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++) {
    row[0] = in[j];
    row[1] = in[m + j];
    // expect: mem-strided-inner-loop medium "8 * m bytes" "'row' gets a dimension more"
    for (int i = 2; i < n; i++) {
      row[i] = 0.5 * row[i - 2] + in[(long)i * m + j];
      out[(long)i * m + j] = row[i];
    }
  }
}

// Every second element, of which there are half as many.
void every_second(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++) {
    // expect: mem-strided-inner-loop medium "16 * m bytes" "'row' gets a dimension more"
    for (int i = 0; i < n; i += 2)
      row[i] = 0.5 * in[(long)i * m + j];
    // expect: mem-strided-inner-loop medium "16 * m bytes" "'row' gets a dimension more"
    for (int i = 0; i < n; i += 2)
      out[(long)i * m + j] = row[i] * row[i];
  }
}
