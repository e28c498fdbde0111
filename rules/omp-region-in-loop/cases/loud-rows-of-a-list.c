// flags: -fopenmp
// A region for the neighbours of each vertex that a list names, by 32 and by 64 bits.
void peel(int count, const int *list, const int *begin, const int *neighbour, double *degree) {
  for (int i = 0; i < count; i++) {
    int vertex = list[i];
    // expect: omp-region-in-loop medium "line 4" "as a table says"
#pragma omp parallel for
    for (int e = begin[vertex]; e < begin[vertex + 1]; e++)
#pragma omp atomic
      degree[neighbour[e]] -= 1.0;
  }
}

void peel_long(int count, const int *list, const long *begin, const int *neighbour, int *degree) {
  for (int i = 0; i < count; i++) {
    int vertex = list[i];
    // expect: omp-region-in-loop medium "line 15" "as a table says"
#pragma omp parallel for
    for (long e = begin[vertex]; e < begin[vertex + 1]; e++)
#pragma omp atomic
      degree[neighbour[e]]--;
  }
}
