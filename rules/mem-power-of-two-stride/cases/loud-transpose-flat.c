#include <stddef.h>

enum { N = 2048 };

static inline size_t at(size_t row, size_t column) { return row * N + column; }

void transpose(const float *restrict in, float *restrict out) {
  for (size_t i = 0; i < N; i++)
    // expect: mem-power-of-two-stride high, mem-unblocked-transpose high "out"
    for (size_t j = 0; j < N; j++)
      out[at(j, i)] = in[at(i, j)];
}
