// Elements that data choose: two iterations may have the same one.
// flags: -fopenmp
#include <math.h>

void histogram(int n, const int *key, int *count) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    // expect: omp-shared-counter medium "may update the same element of 'count'" "atomic" no-fix
    count[key[i]]++;
}

// Cells of particles, by names of an iteration's own.
void deposit(int n, const double *x, const double *charge, double *density, double width) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double at = x[i] / width;
    const int cell = (int)floor(at);
    const double part = at - cell;
    // expect: omp-shared-counter medium "may update the same element of 'density'" "neither is needed" no-fix
    density[cell] += (1 - part) * charge[i];
    density[cell + 1] += part * charge[i];
  }
}

// The nodes of elements, of which there are as many in each.
typedef struct {
  int nodes[4];
  double load;
} element_t;
typedef struct {
  double (*force)[3];
  int elements;
} mesh_t;

void assemble(mesh_t *mesh, const element_t *element) {
#pragma omp parallel
  {
#pragma omp for
    for (int e = 0; e < mesh->elements; e++)
      for (int k = 0; k < 4; k++) {
        const int node = element[e].nodes[k];
        for (int d = 0; d < 3; d++)
          // expect: omp-shared-counter medium "may update the same element of 'mesh->force'" no-fix
          mesh->force[node][d] += 0.25 * element[e].load;
      }
  }
}

// Both ends of an edge.
void residual(int edges, const int *from, const int *to, const double *flux, double *sum) {
#pragma omp parallel for schedule(static)
  for (int e = 0; e < edges; e++) {
    sum[from[e]] += flux[e];
    // expect: omp-shared-counter medium "may update the same element of 'sum'" no-fix
    sum[to[e]] -= flux[e];
  }
}

// Its neighbour may be another entry's.
void deposit_beside(int n, const int *cell, const double *w, double *rho) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int c = cell[i];
    rho[c] += w[i];
    // expect: omp-shared-counter medium "may update the same element of 'rho'"
    rho[c + 1] += 1 - w[i];
  }
}
