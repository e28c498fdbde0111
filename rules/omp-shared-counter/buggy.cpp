// flags: -fopenmp
// run-args: 1
#include <cstdio>
#include <cstdlib>

static double energy(long waves) {
  double total = 0.0;
#pragma omp parallel for
  for (long i = 0; i < waves; ++i)
    // expect: omp-shared-counter high "reduction(+:total)" no-fix
    total = total + 1.0 / (1.0 + 0.5 * double(i));
  return total;
}

int main(int argc, char **argv) {
  std::printf("%.1f\n", energy(argc > 1 ? std::atol(argv[1]) : 1000000));
  return 0;
}
