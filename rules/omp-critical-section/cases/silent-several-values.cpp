// flags: -fopenmp
// Sections of values that no atomic construct updates, that change containers, or write output.
#include <complex>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

std::complex<double> total(const std::vector<std::complex<double>> &v) {
  std::complex<double> sum = 0;
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(v.size()); ++i) {
#pragma omp critical(sum)
    sum += v[i];
  }
  return sum;
}

void words(const std::vector<std::string> &text, std::map<std::string, int> &counts) {
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(text.size()); ++i) {
#pragma omp critical(words)
    counts[text[i]]++;
  }
}

void log(const std::vector<double> &v) {
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(v.size()); ++i) {
#pragma omp critical(output)
    std::printf("%d %g\n", i, v[i]);
  }
}

double random_sum(double (*next)(), int n) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical(generator)
    sum += next();
  }
  return sum;
}
