// flags: -fopenmp
// No two rounds touch the same data, whoever gets which iterations; the barrier behind the loop is the one that stays.
double pairs(double *amplitude, const double *u, const double *e, long occupied, long n) {
  double sum = 0.0;
#pragma omp parallel
  {
    for (long i = 0; i < occupied; i++) {
      // expect: omp-barrier-in-loop medium "line 7, though no two rounds touch the same data" "add nowait" no-fix
#pragma omp for schedule(guided)
      for (long a = 0; a < n; a++)
        for (long b = 0; b < n; b++)
          amplitude[(i * n + a) * n + b] = u[(i * n + a) * n + b] / (e[a] + e[b] - e[i]);
    }
#pragma omp barrier
#pragma omp for reduction(+ : sum)
    for (long k = 0; k < occupied * n * n; k++)
      sum += amplitude[k];
  }
  return sum;
}

void fill(double *field, double *copy, long planes, long n) {
#pragma omp parallel
  {
    for (long p = 0; p < planes; p++) {
      // expect: omp-barrier-in-loop medium "though no two rounds" "put one barrier behind the loop at line 25" no-fix
#pragma omp for schedule(guided)
      for (long k = 0; k < n; k++)
        field[p * n + k] = 0.5 * k;
    }
#pragma omp for schedule(guided)
    for (long k = 0; k < planes * n; k++)
      copy[k] = field[k];
  }
}
