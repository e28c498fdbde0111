// flags: -fopenmp
// The loops that fill the arrays write them from the first element on, or are those of a branch that always runs.
#include <cstddef>

void load(const double *from, double *out, int n, int steps) {
  const int padded = 8 * (n / 8 + 1);
  double *area = new double[padded];
  // expect: omp-serial-first-touch medium "line 13" "'area'"
  for (int i = 0; i < padded; i++)
    area[i] = from[n - 1];
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < padded; i++)
      out[i] += area[i];
  }
  delete[] area;
}

// The loop starts anywhere, the elements at the first one.
void shifted(double *out, int low, int high, int steps) {
  double *area = new double[high - low];
  // expect: omp-serial-first-touch medium "line 27" "'area'"
  for (int i = low; i < high; i++)
    area[i - low] = i;
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < high - low; i++)
      out[i] += area[i];
  }
}

static const bool Checked = true;

void dead(double *out, int n) {
  double *poison = new double[n];
  if (Checked)
    // expect: omp-serial-first-touch medium "'poison'" "line 42"
    for (int i = 0; i < n; i++)
      poison[i] = -1;
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      poison[i] = i;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      out[i] += poison[i];
  }
}

// Rows of 64 KiB are some pages for each thread.
void columns(const double *in, double *out, int rows) {
  double *table = new double[static_cast<std::size_t>(rows) * 8192];
  // expect: omp-serial-first-touch medium "'table'" "line 60"
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 8192; c++)
      table[static_cast<std::size_t>(r) * 8192 + c] = in[c];
  for (int r = 0; r < rows; r++) {
    // expect: omp-region-in-loop medium "about 15 us of work"
#pragma omp parallel for
    for (int c = 0; c < 8192; c++)
      out[c] += table[static_cast<std::size_t>(r) * 8192 + c];
  }
}
