// flags: -fopenmp
// Few iterations of much work, lengths that only a run knows, a guard, and work that the unit does not show.
#define PLANES 8
#define POINTS 100000

static double plane[PLANES][POINTS];
double domain_step(int domain);

void planes(void) {
#pragma omp parallel for
  for (int p = 0; p < PLANES; p++)
    for (int i = 0; i < POINTS; i++)
      plane[p][i] *= 0.5;
}

void any(double *v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    v[i] += 1.0;
}

void guarded(double *v, int big) {
#pragma omp parallel for if (big)
  for (int i = 0; i < 20; i++)
    v[i] += 1.0;
}

void domains(double *result) {
#pragma omp parallel for schedule(dynamic)
  for (int d = 0; d < 4; d++)
    result[d] = domain_step(d);
}
