// All threads update one variable by an instruction: no event tells of it, and the head says so.
// rule: none
// head: atomic updates that are instructions \(atomic_instruction.c:(\d+)\) @line
// watch: omp
// flags: -fopenmp
// twin: a reduction
#include "truth.h"

int main(void) {
  long sum = 0;
#pragma omp parallel
  work(0.03);
#ifdef TWIN
#pragma omp parallel for reduction(+ : sum)
#else
#pragma omp parallel for
#endif
  for (int i = 0; i < 3000000; i++) {
#ifndef TWIN
#pragma omp atomic
#endif
    sum += i;
  }
  printf("%ld\n@line 20 20\n", sum);
  return 0;
}
