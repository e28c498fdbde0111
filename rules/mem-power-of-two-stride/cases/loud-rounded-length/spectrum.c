#include "lengths.h"

#include <stdlib.h>

double *made;
static int pitch;

void transform(double *line, int n);

void columns(double *table, double *line, int n, int rows) {
  const int length = next_power(n);
  for (int k = 0; k < n; k++) {
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      line[i] = table[(long)i * length + k];
    transform(line, rows);
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      table[(long)i * length + k] = line[i];
  }
}

void make(int n) {
  pitch = whole_pages(n);
  made = malloc((size_t)pitch * n * sizeof *made);
}

void sums(double *sum, int n, int rows) {
  for (int k = 0; k < n; k++) {
    double all = made[k];
    // expect: mem-strided-inner-loop medium "8 * pitch bytes"
    for (int i = 1; i < rows; i++)
      all += made[(long)i * pitch + k];
    sum[k] = all;
  }
}
