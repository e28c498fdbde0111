// flags: -fopenmp
// Marks that no other thread reads.
#include <stdlib.h>

// An array for each thread.
int widest(const int *start, const int *column, int rows, int columns) {
  int most = 0;
#pragma omp parallel reduction(max : most)
  {
    int *marker = calloc(columns, sizeof(int));
#pragma omp for
    for (int i = 0; i < rows; i++) {
      int found = 0;
      for (int j = start[i]; j < start[i + 1]; j++)
        if (marker[column[j]] != i + 1) {
          marker[column[j]] = i + 1;
          found++;
        }
      if (found > most)
        most = found;
    }
    free(marker);
  }
  return most;
}

// The element of the iteration itself.
void root(int *parent, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int at = i;
    if (parent[at] != i)
      parent[at] = i;
  }
}

// All store the same number.
void reach(const int *start, const int *column, int *level, int step, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++)
    for (int j = start[i]; j < start[i + 1]; j++)
      if (level[column[j]] != step)
        level[column[j]] = step;
}

// Set at the element of the iteration's own, and looked for among all: no other one stores its number.
long own_marks(const int *start, const int *column, int *mark, int rows) {
  long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < rows; i++) {
    mark[i] = i;
    for (int j = start[i]; j < start[i + 1]; j++)
      total += mark[column[j]] == i;
  }
  return total;
}
