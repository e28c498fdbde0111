#include "lengths.h"

// Lines of a cache: the columns fall into all sets, but for a few lengths.
int whole_lines(int n) { return (n + 7) / 8 * 8; }

// What the user asks for.
int given(int n) { return n + 1; }

int next_power(int n) {
  int power = 1;
  while (power < n)
    power <<= 1;
  return power;
}

int components(int kind) { return kind > 2 ? 16 : 8; }
