// flags: -fopenmp
// A small table of two dimensions, and a row of one that the loop does not choose.
static long pairs[16][16], counts[64][64][32];

void count(const int *a, const int *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section medium "an atomic update" "an array reduction" no-fix
#pragma omp atomic
    pairs[a[i] & 15][b[i] & 15]++;
  }
}

void count_row(const int *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section medium "an atomic update" "an array reduction" no-fix
#pragma omp atomic
    counts[3][0][a[i] & 31]++;
  }
}
