// flags: -fopenmp
// Chunks of long work, few iterations, a chunk known at run time only, a schedule chosen outside the program.
#define N 512

static double a[N][N], b[N][N], c[N][N];

void product(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        c[i][j] += 1.0 / (a[i][k] + b[k][j]);
}

void blocks(double *v) {
  // expect: omp-small-loop medium
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 16; i++)
    v[i] *= 2.0;
}

void chosen(double *v, int n, int chunk) {
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < n; i++)
    v[i] += 1.0;
}

void outside(double *v, int n) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; i++)
    v[i] += 1.0;
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; i++)
    // expect: omp-false-sharing high "threads with neighbouring iterations"
    v[i] += 1.0;
}

void long_chunks(double *v, int n) {
#pragma omp parallel for schedule(dynamic, 2048)
  for (int i = 0; i < n; i++)
    v[i] += 1.0;
}
