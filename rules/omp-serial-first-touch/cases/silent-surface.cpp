// flags: -fopenmp
// A surface beside volumes, and a buffer of messages that a team packs.
#include <mpi.h>
#include <vector>

void relax(int layers, int rows, int columns, int steps, int neighbour) {
  const std::size_t surface = std::size_t(rows) * columns;
  // expect: omp-calloc-first-touch medium "'volume'"
  std::vector<double> volume(surface * layers), peak(surface);
  std::vector<double> ends(2 * surface);
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int k = 1; k < layers; ++k)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          volume[(std::size_t(k) * rows + i) * columns + j] *= 0.5;
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (peak[std::size_t(i) * columns + j] < volume[std::size_t(i) * columns + j])
          peak[std::size_t(i) * columns + j] = volume[std::size_t(i) * columns + j];
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        ends[std::size_t(i) * columns + j] = volume[std::size_t(i) * columns + j];
    MPI_Send(ends.data(), rows * columns, MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD);
  }
}

// A number for each rank, written before it is added up.
void counts(const std::vector<std::vector<int>> &lists, int ranks, int steps) {
  std::vector<long> sizes(ranks);
  for (int t = 0; t < steps; ++t) {
    long all = 0;
#pragma omp parallel for reduction(+ : all)
    for (int r = 0; r < ranks; ++r) {
      sizes[r] = lists[r].size();
      all += sizes[r];
    }
    MPI_Alltoall(sizes.data(), 1, MPI_LONG, &all, 1, MPI_LONG, MPI_COMM_WORLD);
  }
}
