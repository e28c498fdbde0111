// flags: -fopenmp
// Memory that static pointers get before main, and keep: arrays but for their type.
#include <cstdlib>

constexpr int N = 2000000;
static double *u = (double *)malloc(sizeof(double) * N);
static double (*rows)[100] = (double (*)[100])malloc(sizeof(double) * N);
static float *weights = new float[N];
static double *moved = (double *)malloc(sizeof(double) * N);
static int n;

static void initialize() {
  // expect: omp-serial-first-touch high "the first to write 'weights' and 'u'"
  for (int i = 0; i < n; i++) {
    u[i] = 1.0;
    weights[i] = 0.5f;
  }
  // expect: omp-serial-first-touch high "the first to write 'rows'"
  for (int j = 0; j < n / 100; j++)
    for (int i = 0; i < 100; i++)
      rows[j][i] = 1.0;
  // This one gets other memory before the team uses it.
  for (int i = 0; i < n; i++)
    moved[i] = 1.0;
}

static void add() {
  // expect: omp-barrier-in-loop medium "implicit barrier runs in every iteration" no-fix
#pragma omp for
  for (int i = 0; i < n; i++)
    u[i] += weights[i] * moved[i];
  // expect: omp-barrier-in-loop medium "implicit barrier runs in every iteration" no-fix
#pragma omp for
  for (int j = 0; j < n / 100; j++)
    for (int i = 0; i < 100; i++)
      rows[j][i] += 1.0;
}

int main(int argc, char **argv) {
  n = argc * 1000000;
  initialize();
  moved = argc > 1 ? u : moved;
#pragma omp parallel
  for (int step = 0; step < 100; step++)
    add();
  return u[3] < 0;
}
