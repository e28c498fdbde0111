// Elements of which each iteration may have another one, or that something protects.
// flags: -fopenmp
#include <math.h>
#include <omp.h>
#include <stdlib.h>

// A permutation.
void reorder(int n, const int *place, const double *from, double *to) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    to[place[i]] += from[i];
}

void protect(int n, const int *key, int *count) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    count[key[i]]++;
  }
}

void reduce(int n, const int *key, int count[64]) {
#pragma omp parallel for reduction(+ : count[ : 64])
  for (int i = 0; i < n; i++)
    count[key[i]]++;
}

// A copy for each thread.
void copies(int n, int bins, const int *key, int **all) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    int *mine = calloc(bins, sizeof(int));
#pragma omp for
    for (int i = 0; i < n; i++)
      mine[key[i]]++;
    all[me] = mine;
  }
}

// Colours: by a table of their bounds, and by lists of elements.
void colours(int colours, const int *start, const int (*node)[4], const double *load, double *force) {
  for (int c = 0; c < colours; c++) {
    // expect: omp-region-in-loop medium
#pragma omp parallel for
    for (int e = start[c]; e < start[c + 1]; e++)
      for (int k = 0; k < 4; k++)
        force[node[e][k]] += load[e];
  }
}
void lists(int colours, const int *length, int *const *list, const int (*node)[4], const double *load, double *force) {
  for (int c = 0; c < colours; c++) {
    const int n = length[c];
    // expect: omp-region-in-loop medium
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 4; k++)
        force[node[list[c][i]][k]] += load[i];
  }
}

// Particles stand in the list of one cell.
void cells(int cells, const int *length, const int (*list)[64], const double *push, double *force) {
#pragma omp parallel for
  for (int c = 0; c < cells; c++)
    for (int k = 0; k < length[c]; k++)
      force[list[c][k]] += push[c];
}

// A row for each iteration.
void rows(int n, int width, const int *key, const double *x, double *table) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 8; k++)
      table[i * width + key[8 * i + k]] += x[i];
}

// One iteration alone.
void only(int n, const int *key, int *count) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (i == 0)
      count[key[i]]++;
}

// Two parts of what one entry picks are no two places.
void rows_of_list(int n, const int *row, int stride, int apart, const double *x, double *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int at = row[i] * stride;
    y[at] += x[2 * i];
    y[at + apart] += x[2 * i + 1];
  }
}
