// Moves particles and sums their energy in every step: what the loops need lies in arrays of its own.
#include <stdio.h>
#include <stdlib.h>

struct cold {
  double position[3];
  double dipole[3];
  double birth[3];
};

struct particles {
  double *velocity[3];
  double *mass, *charge;
  struct cold *rest;
};

static int allocate(struct particles *p, int n) {
  const size_t bytes = (size_t)n * sizeof(double);
  for (int d = 0; d < 3; d++)
    p->velocity[d] = malloc(bytes);
  p->mass = malloc(bytes);
  p->charge = malloc(bytes);
  p->rest = malloc((size_t)n * sizeof *p->rest);
  return p->velocity[0] && p->velocity[1] && p->velocity[2] && p->mass && p->charge && p->rest;
}

static void fill(struct particles *p, int n) {
  for (int i = 0; i < n; i++) {
    for (int d = 0; d < 3; d++) {
      p->rest[i].position[d] = i % 17 + d;
      p->velocity[d][i] = 0.01 * (i % 5) - 0.02 * d;
      p->rest[i].dipole[d] = p->rest[i].birth[d] = 0.0;
    }
    p->mass[i] = 1.0 + i % 3;
    p->charge[i] = i % 2 ? 1.0 : -1.0;
  }
}

static void kick(double *velocity, const double *charge, int n, double field) {
  for (int i = 0; i < n; i++)
    velocity[i] += field * charge[i];
}

static double weight(const double *mass, const double *charge, int n) {
  double parts[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < n; i++)
    parts[i % 4] += mass[i] * charge[i];
  return parts[0] + parts[1] + parts[2] + parts[3];
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 60000, steps = argc > 2 ? atoi(argv[2]) : 20;
  struct particles p;
  double seen = 0.0;
  if (!allocate(&p, n))
    return 1;
  fill(&p, n);
  for (int s = 0; s < steps; s++) {
    kick(p.velocity[0], p.charge, n, 0.5);
    seen += weight(p.mass, p.charge, n);
  }
  for (int i = 0; i < n; i += n / 3)
    printf("%.6f ", p.velocity[0][i]);
  printf("%.6f\n", seen);
  for (int d = 0; d < 3; d++)
    free(p.velocity[d]);
  free(p.mass);
  free(p.charge);
  free(p.rest);
  return 0;
}
