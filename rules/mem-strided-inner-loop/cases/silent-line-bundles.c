// Lines of which copying several at once would bring nothing, or not the same.
#include <math.h>
#include <stdio.h>
#define N 1024
#define FEW 32

static double field[N][N], small[FEW][FEW], line[N], total[N];

void filter(double *values, int n);

// All lines of a pass stay in the first-level cache until the next one needs their neighbours.
void filter_small(void) {
  for (int j = 0; j < FEW; j++) {
    for (int i = 0; i < FEW; i++)
      line[i] = small[i][j];
    filter(line, FEW);
    for (int i = 0; i < FEW; i++)
      small[i][j] = line[i];
  }
}

// A line is made of the one before it.
void relax(int n) {
  for (int j = 1; j < n - 1; j++) {
    // expect: mem-power-of-two-stride medium
    for (int i = 0; i < n; i++)
      line[i] = field[i][j - 1] + field[i][j] + field[i][j + 1];
    filter(line, n);
    // expect: mem-power-of-two-stride medium
    for (int i = 0; i < n; i++)
      field[i][j] = line[i];
  }
}

// What is gathered is left from one line to the next.
void accumulate(int n) {
  for (int j = 0; j < n; j++) {
    // expect: mem-power-of-two-stride medium
    for (int i = 0; i < n; i++)
      total[i] = 0.5 * total[i] + field[i][j];
    filter(total, n);
  }
}

// A file has the order that it has.
int read_columns(FILE *in, int n) {
  for (int j = 0; j < n; j++) {
    if (fread(line, sizeof *line, n, in) != (size_t)n)
      return -1;
    filter(line, n);
    // expect: mem-power-of-two-stride medium
    for (int i = 0; i < n; i++)
      field[i][j] = line[i];
  }
  return 0;
}

// Arithmetic for each element that takes longer than its cache line.
void evaluate(int n) {
  for (int j = 0; j < n; j++) {
    // expect: mem-power-of-two-stride medium
    for (int i = 0; i < n; i++) {
      double x = field[i][j], sum = 1.0;
      for (int k = 0; k < 24; k++)
        sum = sum * x / (x + sum) + sqrt(sum);
      double a = x * x + 1.0, b = a * x + 2.0, c = b * a + 3.0, d = c * b + 4.0, e = d * c + a, f = e * d + b;
      double g = a / (1.0 + f), h = b / (1.0 + e), p = c / (1.0 + d), q = g * h + p, r = q * q + a, s = r / (q + 1.0);
      double t = s * r + q, u = t * s + r, v = u / (t + 1.0), w = v * u + t, y = w * v + u, z = y / (w + 1.0);
      double a1 = z * y + w, b1 = a1 * z + y, c1 = b1 / (a1 + 1.0), d1 = c1 * b1 + a1, e1 = d1 * c1 + b1;
      line[i] = sum + e1 + d1 / (e1 + 1.0) + sqrt(fabs(c1)) + sqrt(fabs(a1)) / (b1 + 2.0);
    }
    filter(line, n);
  }
}

// Whole records, one in each cache line: neighbours share nothing.
typedef struct {
  double value[8];
} record_t;

void filter_records(record_t *line, int n);

void filter_whole_records(record_t *cells, record_t *buffer, int n, int pitch) {
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      buffer[i] = cells[(long)i * pitch + j];
    filter_records(buffer, n);
    for (int i = 0; i < n; i++)
      cells[(long)i * pitch + j] = buffer[i];
  }
}

// The array says how long a line can be: all lines of a pass stay in the first-level cache.
static double plane[64][40];

void filter_declared(int rows, int columns) {
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++)
      line[i] = plane[i][j];
    filter(line, rows);
    for (int i = 0; i < rows; i++)
      plane[i][j] = line[i];
  }
}

// Steps of an iteration that goes on until it converges.
void iterate(double *work, double *scratch, int n, int pitch, double tolerance) {
  double change = 1.0;
  for (int step = 0; change > tolerance; step++) {
    for (int i = 0; i < n; i++)
      scratch[i] = work[(long)i * pitch + step];
    filter(scratch, n);
    change = scratch[0] - scratch[n - 1];
  }
}
