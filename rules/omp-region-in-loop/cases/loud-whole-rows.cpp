// flags: -fopenmp
// The serial loop is as long as the field: it covers its rows from end to end, has the shared loop's bound, a bound that
// other teams share, or a known length.
#include <cstddef>

void transpose(const double *field, double *other, int rows, int pitch) {
  for (int j = 0; j < pitch; j++) {
    // expect: omp-region-in-loop high "one row of the data"
#pragma omp parallel for
    // expect: mem-strided-inner-loop medium "8 * pitch bytes" "8 bytes"
    for (int k = 0; k < rows; k++)
      other[k * pitch + j] = 2 * field[k * pitch + j];
  }
}

void square(const double *field, double *other, long n, long skew) {
  for (long j = 0; j < n; ++j) {
    // expect: omp-region-in-loop high "one row of the data"
#pragma omp parallel for
    // expect: mem-unblocked-transpose medium "field" "other"
    for (long k = 0; k < n; ++k)
      other[j * (n + skew) + k] = field[k * (n + skew) + j];
  }
}

void side(const double *field, double *buffer, int rows, int pitch) {
  for (int j = 0; j < 64; j++) {
    // expect: omp-region-in-loop high "one row of the data"
#pragma omp parallel for
    // expect: mem-strided-inner-loop high "8 * pitch bytes" "8 bytes"
    for (int k = 0; k < rows; k++)
      buffer[k * 64 + j] = field[k * pitch + j];
  }
}

struct Field {
  int height, width, pitch;
  float *values;
};

void clear(Field *f) {
#pragma omp parallel for
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->pitch; x++)
      f->values[y * f->pitch + x] = 0;
}

void brighten(Field *f, const float *by) {
  for (int y = 0; y < f->height; y++) {
    // expect: omp-region-in-loop high "one row of the data"
#pragma omp parallel for
    for (int x = 0; x < f->width; x++)
      f->values[y * f->pitch + x] *= by[x];
  }
}
