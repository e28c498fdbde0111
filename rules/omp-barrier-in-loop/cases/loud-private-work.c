// flags: -fopenmp
// Between the barriers each thread works on variables of its own only.
double estimate(long rounds, unsigned seed) {
  double total = 0.0;
#pragma omp parallel reduction(+ : total)
  {
    unsigned state = seed;
    for (long round = 0; round < rounds; round++) {
      state = state * 1664525u + 1013904223u;
      total += (state >> 8) * 0x1p-24;
      // expect: omp-barrier-in-loop high fix
#pragma omp barrier
    }
  }
  return total;
}
