/* Sums of columns, each by one thread into its own element of a short array. The elements begin OFFSET floats behind
 * the start of a cache line and lie PITCH floats apart. After NASA's example of false sharing ("Ten steps to parallel
 * code", appendix B): four columns of 100,000 reals, 100 times.
 *
 *   columns N REPEATS PITCH OFFSET [keep]      keep: the sum stays in a variable of the thread's own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, LINE = 64 };

static void sum_into(const float *a, float *s, int n, int pitch) {
#pragma omp parallel for
  for (int i = 0; i < COLUMNS; i++) {
    s[i * pitch] = 0.0f;
    for (int j = 0; j < n; j++)
      s[i * pitch] += a[(size_t)i * n + j];
  }
}

static void sum_kept(const float *a, float *s, int n, int pitch) {
#pragma omp parallel for
  for (int i = 0; i < COLUMNS; i++) {
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
      sum += a[(size_t)i * n + j];
    s[i * pitch] = sum;
  }
}

int main(int argc, char **argv) {
  if (argc < 5)
    return 2;
  const int n = atoi(argv[1]), repeats = atoi(argv[2]), pitch = atoi(argv[3]), offset = atoi(argv[4]);
  const int keep = argc > 5 && strcmp(argv[5], "keep") == 0;
  float *a = malloc(sizeof *a * COLUMNS * (size_t)n);
  void *lines = NULL;
  if (a == NULL || posix_memalign(&lines, LINE, sizeof(float) * (size_t)(COLUMNS * pitch + offset)) != 0)
    return 1;
  float *s = (float *)lines + offset;
  for (int i = 0; i < COLUMNS; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = (float)((i + j) % 7) / 8.0f;
  for (int k = 0; k < repeats; k++)
    (keep ? sum_kept : sum_into)(a, s, n, pitch);
  for (int i = 0; i < COLUMNS; i++)
    printf("%.3f\n", s[i * pitch]);
  free(lines);
  free(a);
  return 0;
}
