// Lengths of rows, for all that allocate some.
#include "lengths.h"

// expect: mem-power-of-two-stride medium "'next_power' makes the rows of a matrix a power of two long" "one cache line"
int next_power(int n) {
  int power = 1;
  while (power < n)
    power <<= 1;
  return power;
}

// expect: mem-power-of-two-stride medium "'whole_pages' makes the rows of a matrix a multiple of 4096 bytes long"
int whole_pages(int n) { return (n + 511) / 512 * 512; }
