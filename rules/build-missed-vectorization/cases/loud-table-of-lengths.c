// Sums over parts whose begin and end stand in two arrays: these are shares of the work, as long as one makes them.
#include <stdio.h>
#include <stdlib.h>

static double part_sums(const int *begin, const int *end, const float *value, double *sum, int parts) {
  double largest = 0.0;
  for (int i = 0; i < parts; i++) {
    double s = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 's' is combined in a fixed order"
    for (int k = begin[i]; k < end[i]; k++)
      s += value[k];
    sum[i] = s;
    largest = s > largest ? s : largest;
  }
  return largest;
}

int main(void) {
  enum { parts = 16, each = 2000 };
  int begin[parts], end[parts];
  float *value = malloc((size_t)parts * each * sizeof *value), sum[parts];
  if (!value)
    return 1;
  for (int i = 0; i < parts; i++)
    begin[i] = i * each, end[i] = begin[i] + each;
  for (int i = 0; i < parts * each; i++)
    value[i] = i % 11;
  double total = 0.0;
  for (int step = 0; step < 10; step++)
    total += part_sums(begin, end, value, sum, parts);
  printf("%g\n", total);
  free(value);
  return 0;
}
