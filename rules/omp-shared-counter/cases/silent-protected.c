// flags: -fopenmp
#include <omp.h>
int done;
#pragma omp threadprivate(done)
_Atomic int started;
static omp_lock_t lock;
void begin(void), end(void);

double protect(const double *x, int n) {
  double sum = 0, product = 1, norm = 0, first = 0, held = 0, kept = 0;
  int i, j = 0, threads = 0, blocks = 0;
#pragma omp parallel private(j) firstprivate(first) reduction(+ : norm)
  {
#pragma omp for reduction(+ : sum) lastprivate(kept)
    for (i = 0; i < n; i++) {
      for (j = 0; j < 4; j++)
        sum += x[i] * j;
      first += x[i];
      norm += first;
      kept = x[i];
      kept += 1.0;
      done++;
      started++;
      // expect: omp-critical-section high "an atomic update" "'product'" unsafe-fix
#pragma omp atomic
      product *= x[i];
    }
#pragma omp critical
    blocks++;
#pragma omp single
    threads++;
    if (omp_get_thread_num() == 0)
      threads += 2;
  }
#pragma omp parallel for
  for (i = 0; i < n; i++) {
    // expect: omp-critical-section high "a lock" "'held'"
    omp_set_lock(&lock);
    held += x[i];
    omp_unset_lock(&lock);
  }
#pragma omp parallel for
  for (i = 0; i < n; i++) {
    begin();
    held += x[i];
    end();
  }
  return sum + product + norm + first + held + kept + threads + blocks;
}
