// flags: -fopenmp
// The pages are spread over all nodes, whoever writes them.
#include <stddef.h>

void *numa_alloc_interleaved(size_t bytes);
void numa_free(void *start, size_t bytes);

double run(size_t count) {
  double *values = numa_alloc_interleaved(count * sizeof *values);
  if (values == NULL)
    return 0.0;
  for (size_t i = 0; i < count; i++)
    values[i] = 1.0;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    values[i] *= 2.0;
  const double first = values[0];
  numa_free(values, count * sizeof *values);
  return first;
}
