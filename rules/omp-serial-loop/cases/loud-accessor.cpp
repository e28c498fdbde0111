// flags: -fopenmp
// Elements by way of an accessor of the object, and a total that is stored behind all steps.
#include <cstdio>
#include <cstdlib>
#include <vector>

class Volume {
public:
  // expect: omp-calloc-first-touch
  explicit Volume(std::size_t n) : v(n, 1.0) {}
  double *data() { return v.data(); }
  std::size_t size() const { return v.size(); }

private:
  std::vector<double> v;
};

struct Result {
  double residual = 0.0;
};

static Result iterate(Volume &vol, Volume &old) {
  Result r;
  for (int step = 0; step < 20; step++) {
    r.residual = 0.0;
    double *x = vol.data();
#pragma omp parallel for
    for (std::size_t i = 0; i < vol.size(); i++)
      x[i] = 0.5 * x[i] + 1e-3;
    // expect: omp-serial-loop medium "'vol" unsafe-fix
    for (std::size_t i = 0; i < vol.size(); ++i) {
      const double v = vol.data()[i];
      vol.data()[i] = v + 0.1 * (v - old.data()[i]);
      old.data()[i] = v;
    }
    for (int k = 0; k < 10; k++)
      r.residual += x[k];
  }
  return r;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 400000;
  Volume a(n), b(n);
  std::printf("%.6f\n", iterate(a, b).residual);
  return 0;
}
