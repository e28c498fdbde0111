// Cells of particles that a pointer to one leads to.
// flags: -fopenmp
typedef struct {
  double x, y, weight;
} particle_t;
typedef struct {
  particle_t *p;
  int n;
} species_t;

extern double *density;

void deposit(const species_t *s, int columns) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < s->n; k++) {
    const particle_t *p = s->p + k;
    const int i = (int)p->x, j = (int)p->y;
    const double part = p->x - i;
    // expect: omp-shared-counter medium "may update the same element of 'density'" "atomic" no-fix
    density[j * columns + i] += (1 - part) * p->weight;
    density[j * columns + i + 1] += part * p->weight;
  }
}
