// A release build without the processor's name: said for whole programs only, and as a hint.
// flags: -DNDEBUG
#include <assert.h>
#include <stdio.h>

int main(void) {
  double sum = 0;
  for (int i = 0; i < 100000; i++) {
    assert(i >= 0);
    sum += 0.5 * i;
  }
  printf("%g\n", sum);
  return 0;
}
