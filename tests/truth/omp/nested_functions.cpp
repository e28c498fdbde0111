// The loop stands in a function that is compiled into its caller, and in a class.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp
// twin: both halves are as long
#include "truth.h"

struct Field {
  double first, second;
  void advance() const {
#pragma omp parallel for schedule(static) // @loop
    for (int i = 0; i < 2; i++)
      work(i ? second : first);
  }
};

int main() {
#ifdef TWIN
  Field field{0.006, 0.006};
#else
  Field field{0.003, 0.009};
#endif
  for (int step = 0; step < 10; step++)
    field.advance();
  say("loop", 10 * 0.003);
  return 0;
}
