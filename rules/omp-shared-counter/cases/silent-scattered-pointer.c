// Cells of particles that a pointer to one leads to, in arrays of each thread's own.
// flags: -fopenmp
#include <omp.h>
typedef struct {
  double x, weight;
} particle_t;

void deposit(const particle_t *first, int n, double *all, int cells) {
#pragma omp parallel
  {
    double *mine = all + omp_get_thread_num() * cells;
#pragma omp for
    for (int k = 0; k < n; k++) {
      const particle_t *p = first + k;
      mine[(int)p->x] += p->weight;
    }
  }
}

// The particles of one cell, a list of which each cell has.
void push(double *field, int cells, particle_t *const *lists, const int *length) {
#pragma omp parallel for
  for (int c = 0; c < cells; c++) {
    const particle_t *p = lists[c];
    for (int k = 0; k < length[c]; k++, p++)
      field[c] += p->weight;
  }
}
