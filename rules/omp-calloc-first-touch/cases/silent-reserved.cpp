// flags: -fopenmp
// reserve() writes nothing: the team writes the elements first, and resize() finds their pages placed.
#include <cstddef>
#include <vector>

double spread(std::size_t count) {
  std::vector<double> values;
  values.reserve(count);
  double *elements = values.data();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = 0.0;
  values.resize(count);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i)
    values[i] += 0.5 * static_cast<double>(i);
  return values[count / 2];
}
