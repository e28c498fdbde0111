#include <cstdio>
#include <numeric>
#include <vector>

template <typename T> struct Field {
  std::vector<T> values;
  void scale(T by) {
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] *= by;
  }
};

int main() {
  Field<double> field{std::vector<double>(1000, 1.0)};
  try {
    for (int step = 0; step < 30; ++step)
      field.scale(1.01);
#pragma omp parallel
    {
      try {
        throw 1;
      } catch (int) {
#pragma omp critical
        field.values[0] += 0;
      }
    }
    throw 2;
  } catch (int what) {
    std::printf("%.6f %d\n", std::accumulate(field.values.begin(), field.values.end(), 0.0), what);
  }
}
