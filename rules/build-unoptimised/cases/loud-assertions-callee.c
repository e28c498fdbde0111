// The calls of the loop have loops of their own: a test before each of them does not show.
#include <assert.h>
#include <stddef.h>

static void scale(double *a, size_t n, double by) {
  for (size_t i = 0; i < n; i++)
    a[i] *= by;
}

void halve(double *a, size_t sweeps, size_t length) {
  for (size_t sweep = 0; sweep < sweeps; sweep++)
    for (size_t n = length; n > 1; n /= 2) {
      // expect: build-unoptimised low "assertions of innermost loops are"
      assert(n <= length);
      scale(a, n, 0.5);
    }
}
