// flags: -fopenmp
// Large blocks from calloc are fresh zero pages that nobody has written yet; the team writes them first.
#include <cstddef>
#include <cstdlib>

double *ramp(std::size_t count) {
  auto *values = static_cast<double *>(std::calloc(count, sizeof(double)));
  if (!values)
    return nullptr;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i)
    values[i] += 0.5 * static_cast<double>(i);
  return values;
}
