// flags: -fopenmp
// Marks of all iterations in one array: each looks for its own number.
static int marker[1 << 16];

int widest(const int *start, const int *column, int rows) {
  int most = 0;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < rows; i++) {
    int found = 0;
    for (int j = start[i]; j < start[i + 1]; j++) {
      const int c = column[j];
      // expect: omp-shared-counter medium "mark the same elements of 'marker'" "of its own, allocated" no-fix
      if (marker[c] != i + 1) {
        marker[c] = i + 1;
        found++;
      }
    }
    if (found > most)
      most = found;
  }
  return most;
}

void count(const int *start, const int *column, int *seen, int *length, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++)
    for (int j = start[i]; j < start[i + 1]; j++) {
      // expect: omp-shared-counter medium "mark the same elements of 'seen'" no-fix
      if (seen[column[j]] == i)
        continue;
      seen[column[j]] = i;
      length[i]++;
    }
}

// Set at one's own neighbours, looked for at theirs.
long triangles(const int *start, const int *column, int *mark, int rows) {
  long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < rows; i++) {
    for (int j = start[i]; j < start[i + 1]; j++)
      mark[column[j]] = i;
    for (int j = start[i]; j < start[i + 1]; j++)
      for (int k = start[column[j]]; k < start[column[j] + 1]; k++)
        // expect: omp-shared-counter medium "mark the same elements of 'mark'" no-fix
        total += mark[column[k]] == i;
  }
  return total;
}
