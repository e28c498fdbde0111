// flags: -fopenmp
// Short shared loops inside a region that is open anyway; a length that is a variable of the class; rows of a sparse matrix.
#include <vector>

class Boxes {
public:
  void update() {
#pragma omp parallel for
    for (int b = 0; b < count; ++b)
      load[b] = 0.5 * load[b];
  }
  void gather(const std::vector<int> &first) {
#pragma omp parallel for
    for (int b = 0; b < 16; ++b)
      for (int k = first[b]; k < first[b + 1]; ++k)
        load[b] += k;
  }
  int count = 0;
  std::vector<double> load;
};

void weights(double *w, double *v, int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int q = 0; q < 9; ++q)
      w[q] *= 0.5;
#pragma omp for
    for (int i = 0; i < n; ++i)
      v[i] *= 0.5;
  }
}

void all(Boxes &b, const std::vector<int> &first) {
  b.update();
  b.gather(first);
}
