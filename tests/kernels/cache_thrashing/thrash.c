// Four arrays of 4 MiB side by side: with rows of 1024 numbers the same element of all four falls into one set of a
// two-way cache of 4 or 8 MiB, and each evicts the others. Rows of 1025 put them into different sets. After the sample
// program of the NASA paper on the Origin 2000, with the lengths of rows as an option of the build (-DPITCH=1025).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PITCH
#define PITCH 1024
#endif
enum { SIDE = 1024 };

typedef float Matrix[SIDE][PITCH];

// In one object, so that the distances are those of their sizes.
static struct {
  Matrix a, b, c, d;
} all;

static void fill(Matrix m, uint32_t seed) {
  uint32_t state = seed;
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      state = state * 1664525u + 1013904223u;
      m[i][j] = (float)(state >> 8) / 16777216.0f;
    }
}

static void combine(void) {
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      all.a[i][j] = all.b[i][j] + all.c[i][j] * all.d[i][j];
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  fill(all.b, 1);
  fill(all.c, 2);
  fill(all.d, 3);
  for (int t = 0; t < times; t++)
    combine();
  printf("%.6f %.6f\n", (double)all.a[3][5], (double)all.a[SIDE - 1][SIDE - 1]);
  return 0;
}
