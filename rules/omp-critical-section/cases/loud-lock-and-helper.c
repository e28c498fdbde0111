// flags: -fopenmp
// A lock instead of a critical section, and a section in a function that the loop calls.
#include <omp.h>
#include <stddef.h>

static omp_lock_t lock;
static double energy;
static long hits;

static void count_hit(int bin, long *bins) {
  // expect: omp-critical-section high "a critical section" "'bins[bin]'"
#pragma omp critical(hit)
  bins[bin] += 1;
}

void scan(const double *e, const int *bin, long *bins, size_t n) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    // expect: omp-critical-section high "'energy'" "a lock"
    omp_set_lock(&lock);
    energy += e[i];
    omp_unset_lock(&lock);
    count_hit(bin[i], bins);
  }
}

static void deposit(double value) {
  // expect: omp-critical-section high "a lock" "'energy'"
  omp_set_lock(&lock);
  energy += value;
  omp_unset_lock(&lock);
}

void collect(const double *e, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    deposit(e[i]);
}

void assemble(const int *row, const double *value, double *rhs, omp_lock_t *locks, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section medium "an element's lock" "'rhs[row[i]]'"
    omp_set_lock(&locks[row[i]]);
    rhs[row[i]] += value[i];
    omp_unset_lock(&locks[row[i]]);
  }
}

long positive(const double *e, int n) {
  hits = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (e[i] > 0.0) {
      // expect: omp-critical-section medium "a critical section" "'hits'" fix
#pragma omp critical
      hits++;
    }
  return hits;
}
