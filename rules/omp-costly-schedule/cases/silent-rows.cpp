// flags: -fopenmp
// Rows of a table's length: in long chunks, with much work for each element, with a search that ends early, and in
// records.
#include <cmath>
#include <vector>

struct Patch {
  int cells;
  double centre[3], spread[3], mass, charge;
  double *value;
};

void longChunks(const int *start, const int *column, const double *value, const double *x, double *y, int n) {
#pragma omp parallel for schedule(dynamic, 256)
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void costly(const int *start, const int *partner, const double *x, double *y, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k)
      sum += std::exp(-std::pow(x[i] - x[partner[k]], 3)) * std::sin(x[partner[k]]);
    y[i] = sum;
  }
}

void searched(const int *start, const int *column, std::vector<int> &found, int n, int wanted) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    int at = -1;
    for (int k = start[i]; k < start[i + 1]; ++k)
      if (column[k] == wanted) {
        at = k;
        break;
      }
    found[i] = at;
  }
}

void patches(std::vector<Patch> &all) {
#pragma omp parallel for schedule(dynamic)
  for (int p = 0; p < static_cast<int>(all.size()); ++p) {
    double sum = 0;
    for (int c = 0; c < all[p].cells; ++c)
      sum += all[p].value[c];
    all[p].mass = sum;
  }
}

void sorted(const int *start, const int *key, int *count) {
#pragma omp parallel for schedule(dynamic)
  for (int bin = 0; bin < 1024; ++bin)
    for (int k = start[bin]; k < start[bin + 1]; ++k)
      count[key[k]]++;
}
