// flags: -fopenmp
// The boundary's indices and the numbers of the rows' entries are small beside the data that they lead to.
#include <stdlib.h>

void reflect(double *field, int size, int steps) {
  int *edge = malloc((size_t)size * sizeof *edge);
  if (edge == NULL)
    return;
  for (int i = 0; i < size; i++)
    edge[i] = i * size;
  for (int step = 0; step < steps; step++) {
#pragma omp parallel for
    for (int i = 0; i < size; i++)
      field[edge[i]] = 0.0;
  }
  free(edge);
}

enum { CAPACITY = 64 };

struct particle {
  double position[3], speed[3];
};

void drift(struct particle *particles, int boxes, double dt, int steps) {
  int *filled = malloc((size_t)boxes * sizeof *filled);
  if (filled == NULL)
    return;
  for (int box = 0; box < boxes; box++)
    filled[box] = box % CAPACITY;
  for (int step = 0; step < steps; step++) {
#pragma omp parallel for
    for (int box = 0; box < boxes; box++)
      // expect: mem-array-of-structs high "particle"
      for (int p = 0; p < filled[box]; p++)
        particles[box * CAPACITY + p].position[0] += dt * particles[box * CAPACITY + p].speed[0];
  }
  free(filled);
}

// The ones to work on, appended one by one.
void chosen(const double *size, double *values, int n, int rounds) {
  int *list = malloc((size_t)n * sizeof *list);
  int count = 0, k, i;
  for (i = 0; i < n; i++)
    if (size[i] > 0)
      list[count++] = i;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel for private(i)
    for (k = 0; k < count; k++) {
      i = list[k];
      values[i] *= size[i];
    }
#pragma omp parallel for
    for (k = 0; k < count; k++)
      values[list[k]] += 1;
  }
  free(list);
}
