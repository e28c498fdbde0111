// flags: -fopenmp
// Every thread reads the whole table: no distribution of its pages suits the team better.
#include <stdlib.h>

void potential(double *restrict out, const double *restrict position, int count, int charges) {
  double *place = malloc((size_t)charges * sizeof *place);
  if (place == NULL)
    return;
  for (int c = 0; c < charges; c++)
    place[c] = 0.5 * c;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; i++) {
    double sum = 0.0;
    for (int c = 0; c < charges; c++)
      sum += 1.0 / (1.0 + (position[i] - place[c]) * (position[i] - place[c]));
    out[i] = sum;
  }
  free(place);
}
