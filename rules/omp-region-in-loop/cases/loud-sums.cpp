// flags: -fopenmp
// One sum for each element of a result: the loop over the elements is the one to share.
#include <cmath>

void transform(double *real, double *imaginary, const double *signal, int n) {
  for (int k = 0; k < n; k++) {
    double a = 0, b = 0;
    // expect: omp-region-in-loop medium "1 to 37 us each time" "one sum"
#pragma omp parallel for reduction(+ : a, b)
    for (int t = 0; t < n; t++) {
      a += signal[t] * std::cos(0.1 * k * t);
      b -= signal[t] * std::sin(0.1 * k * t);
    }
    real[k] = a;
    imaginary[k] = b;
  }
}

// A few products with long vectors: nothing says that there are many.
void project(double *h, double **basis, const double *w, int kept, int n) {
  for (int k = 0; k < kept; k++) {
    double dot = 0;
#pragma omp parallel for reduction(+ : dot)
    for (int i = 0; i < n; i++)
      dot += basis[k][i] * w[i];
    h[k] = dot;
  }
}

// One sum for each step in time.
double advance(double *x, int n, int steps) {
  double last = 0;
  for (int t = 0; t < steps; t++) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += x[i];
    last = sum;
  }
  return last;
}
