// flags: -fopenmp
// The loops that fill arrays write a tail behind what was read before, stand in a branch that never runs, or fill rows
// so short that each of their pages belongs to all threads.
#include <cstdio>
#include <cstdlib>
#include <fstream>

void load(const char *name, double *out, int steps) {
  std::ifstream file(name);
  int n;
  file >> n;
  const int padded = 8 * (n / 8 + 1);
  double *area = new double[padded];
  for (int i = 0; i < n; i++)
    file >> area[i];
  for (int i = n; i < padded; i++)
    area[i] = area[n - 1];
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < padded; i++)
      out[i] += area[i];
  }
  delete[] area;
}

void scan(FILE *from, float *out, std::size_t n, std::size_t room) {
  float *area = static_cast<float *>(std::malloc(room * sizeof *area));
  for (std::size_t i = 0; i < n; ++i)
    if (std::fscanf(from, "%f", &area[i]) != 1)
      break;
  for (std::size_t i = n; i < room; ++i)
    area[i] = 0;
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (std::size_t i = 0; i < room; ++i)
      out[i] += area[i];
  }
}

static const bool Checked = false;
static int verbose = 0;

void dead(double *out, int n) {
  double *poison = new double[n], *traced = new double[n];
  if (Checked)
    for (int i = 0; i < n; i++)
      poison[i] = -1;
  if (verbose)
    for (int i = 0; i < n; i++)
      traced[i] = -1;
  for (int t = 0; t < 10; t++) {
  // expect: omp-adjacent-regions medium "line 58"
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      poison[i] = i;
      traced[i] = i;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      out[i] += poison[i] + traced[i];
  }
}

// 32 columns of 8 bytes are a sixteenth of a page.
void columns(const double *in, double *out, int rows) {
  double *table = new double[static_cast<std::size_t>(rows) * 32];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 32; c++)
      table[static_cast<std::size_t>(r) * 32 + c] = in[c];
  for (int r = 0; r < rows; r++) {
  // expect: omp-small-loop high
#pragma omp parallel for
    for (int c = 0; c < 32; c++)
      out[c] += table[static_cast<std::size_t>(r) * 32 + c];
  }
}

// Only a tail is written before the team comes.
void pad(double *out, int n, int steps) {
  const int padded = 8 * (n / 8 + 1);
  double *area = new double[padded];
  for (int i = n; i < padded; i++)
    area[i] = 0;
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < padded; i++)
      area[i] += out[i];
  }
  delete[] area;
}

// The loop that reads has touched the elements before the one that scales them.
void scaled(std::ifstream &file, double *out, int n) {
  double *area = new double[n];
  for (int i = 0; i < n; i++)
    file >> area[i];
  for (int i = 0; i < n; i++)
    area[i] *= 0.5;
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      out[i] += area[i];
  }
  delete[] area;
}
