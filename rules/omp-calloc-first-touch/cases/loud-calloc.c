// flags: -fopenmp
// The zeros are overwritten by the team before anyone reads them.
#include <stdlib.h>

struct mesh {
  size_t rows, columns;
  float *height;
};

struct mesh *create(size_t rows, size_t columns) {
  struct mesh *m = malloc(sizeof *m);
  if (m == NULL)
    return NULL;
  m->rows = rows;
  m->columns = columns;
  // expect: omp-calloc-first-touch low "may write" "'height'"
  m->height = calloc(rows * columns, sizeof *m->height);
  return m;
}

int start(struct mesh *m, float level) {
  if (m == NULL || m->height == NULL)
    return -1;
#pragma omp parallel for collapse(2) schedule(static)
  for (size_t y = 0; y < m->rows; y++)
    for (size_t x = 0; x < m->columns; x++)
      m->height[y * m->columns + x] = level;
  return 0;
}

int main(void) {
  struct mesh *m = create(1000, 2000);
  if (start(m, 1.0f) != 0)
    return 1;
  const int wrong = m->height[5] != 1.0f;
  free(m->height);
  free(m);
  return wrong;
}
