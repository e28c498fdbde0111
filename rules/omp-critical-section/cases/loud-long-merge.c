// flags: -fopenmp
// Large arrays that each thread has gathered are added up one thread after the other; small ones may be.
#define KEYS 65536
#define BINS 64

extern long ranks[KEYS], bins[BINS];
extern const int *key;

static void count(int n) {
  int i;
  long mine[KEYS] = {0};
#pragma omp for nowait
  for (i = 0; i < n; i++)
    mine[key[i]]++;
  // expect: omp-critical-section medium "only to update 'ranks[i]'" "let the team share the elements"
#pragma omp critical
  {
    for (i = 0; i < KEYS; i++)
      ranks[i] += mine[i];
  }
}

static void count_few(int n) {
  int i;
  long mine[BINS] = {0};
#pragma omp for nowait
  for (i = 0; i < n; i++)
    mine[key[i] % BINS]++;
#pragma omp critical
  for (i = 0; i < BINS; i++)
    bins[i] += mine[i];
}

void sort_again(int n, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
    count(n);
    count_few(n);
  }
}
