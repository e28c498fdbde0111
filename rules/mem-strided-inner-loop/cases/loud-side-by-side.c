// flags: -fopenmp
// Lines along which more is carried than another order of the loops could keep: the order stays, but neighbours can be
// worked on side by side.
#include <stddef.h>

// Five numbers are carried down each column.
void cascade(const double *in, double *out, double *energy, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    // expect: mem-strided-inner-loop medium "8 neighbouring lines, iterations of 'j' (line 8)" "provided that no"
    for (int i = 0; i < n; i++) {
      a = 0.5 * a + in[(size_t)i * m + j];
      b = 0.5 * b + a;
      c = 0.5 * c + b;
      d = 0.5 * d + c;
      e = 0.5 * e + d;
      out[(size_t)i * m + j] = e;
    }
    *energy += e;
  }
}

// A number in memory that each line sets anew.
void damped(const float *in, float *out, float *scale, int n, int m) {
  for (int j = 0; j < m; j++) {
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f, e = 0.0f;
    *scale = 1.0f / (j + 1);
    // expect: mem-strided-inner-loop medium "work on 16 neighbouring lines" "a dimension more"
    for (int i = 0; i < n; i++) {
      a = 0.5f * a + *scale * in[(size_t)i * m + j];
      b = 0.5f * b + a;
      c = 0.5f * c + b;
      d = 0.5f * d + c;
      e = 0.5f * e + d;
      out[(size_t)i * m + j] = e;
      *scale *= 0.9f;
    }
  }
}

// Threads share the loop over the lines, and each has an extreme of its own.
double peak(const double *in, double *out, int n, int m) {
  double most = 0.0;
#pragma omp parallel for reduction(max : most)
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    // expect: mem-strided-inner-loop medium "8 * m bytes" "iterations of 'j' (line 45), side by side"
    for (int i = 0; i < n; i++) {
      a = 0.5 * a + in[(size_t)i * m + j];
      b = 0.5 * b + a;
      c = 0.5 * c + b;
      d = 0.5 * d + c;
      e = 0.5 * e + d;
      out[(size_t)i * m + j] = e;
      most = e > most ? e : most;
    }
  }
  return most;
}

// Blocks of a line between the lines and their elements, as many for each line, in place.
void in_blocks(double *cells, int blocks, int n, int m) {
  for (int j = 0; j < m; j++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    for (int block = 0; block < blocks; block++)
      // expect: mem-strided-inner-loop medium "8 * m bytes" "iterations of 'j' (line 63), side by side"
      for (int i = 0; i < n; i++) {
        a = 0.5 * a + cells[((size_t)block * n + i) * m + j];
        b = 0.5 * b + a;
        c = 0.5 * c + b;
        d = 0.5 * d + c;
        e = 0.5 * e + d;
        cells[((size_t)block * n + i) * m + j] = e;
      }
  }
}

// Data say which element of its own line each begins with: that lines stay apart is what sharing them says.
void shifted(double *cells, const int *first, int n, int m) {
#pragma omp parallel for
  for (int j = 0; j < m; j++) {
    double a = cells[(size_t)first[j] * m + j], b = 0.0, c = 0.0, d = 0.0, e = 0.0;
    // expect: mem-strided-inner-loop medium "8 * m bytes" "iterations of 'j' (line 81), side by side"
    for (int i = 0; i < n; i++) {
      a = 0.5 * a + cells[(size_t)i * m + j];
      b = 0.5 * b + a;
      c = 0.5 * c + b;
      d = 0.5 * d + c;
      e = 0.5 * e + d;
      cells[(size_t)i * m + j] = e;
    }
  }
}
