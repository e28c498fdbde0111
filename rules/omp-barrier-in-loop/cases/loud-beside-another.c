// flags: -fopenmp
// The shared loop before the barrier ends with one already. Time steps repeat the region, or nothing says how often.
static double rhs[5][200][200], u[5][200][200], p[1000000], q[1000000], z[1000000], d, rho;

void compute(int n) {
#pragma omp parallel
  {
    for (int m = 0; m < 5; m++) {
      // expect: omp-barrier-in-loop high fix
#pragma omp for schedule(static, 16)
      for (int j = 1; j <= n; j++)
        for (int k = 1; k <= n; k++)
          rhs[m][j][k] -= u[m][j + 1][k];
    }
    // expect: omp-barrier-in-loop medium "and nothing on either side needs it" "stands beside another one"
#pragma omp barrier
#pragma omp for schedule(static, 16)
    for (int j = 1; j <= n; j++)
      for (int k = 1; k <= n; k++)
        rhs[0][j][k] += u[1][j][k];
  }
}

void solve(int n) {
  for (int it = 1; it <= 25; it++) {
    d = 0;
    rho = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : d)
      for (int j = 1; j <= n; j++)
        d += p[j] * q[j];
      // expect: omp-barrier-in-loop high "and nothing on either side needs it" "stands beside another one" fix
#pragma omp barrier
      double alpha = 1 / d;
#pragma omp for reduction(+ : rho)
      for (int j = 1; j <= n; j++) {
        z[j] += alpha * p[j];
        rho += z[j] * z[j];
      }
    }
  }
}
