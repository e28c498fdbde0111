// Blocks of rows: a border is a row of the grid, sent from where it lies.
// ranks: 4
#include <cstddef>
#include <cstdio>
#include <mpi.h>
#include <vector>

constexpr int height = 8192, width = 256, steps = 40, pitch = width + 2;

class Grid {
public:
  explicit Grid(int rows) : cells(static_cast<std::size_t>(rows) * pitch) {}
  double &operator()(int y, int x) { return cells[static_cast<std::size_t>(y) * pitch + x]; }
  double operator()(int y, int x) const { return cells[static_cast<std::size_t>(y) * pitch + x]; }

private:
  std::vector<double> cells;
};

static void exchange(Grid &grid, int rows, int above, int below) {
  MPI_Sendrecv(&grid(rows, 0), pitch, MPI_DOUBLE, below, 0, &grid(0, 0), pitch, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&grid(1, 0), pitch, MPI_DOUBLE, above, 1, &grid(rows + 1, 0), pitch, MPI_DOUBLE, below, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(Grid &next, const Grid &now, int from, int to) {
  for (int y = from; y <= to; y++)
    for (int x = 1; x <= width; x++)
      next(y, x) = 0.25 * (now(y - 1, x) + now(y, x - 1) + now(y, x + 1) + now(y + 1, x));
}

static void run(int rank, int size) {
  const int rows = height / size;
  Grid now(rows + 2), next(rows + 2);
  for (int y = 0; y < rows + 2; y++)
    for (int x = 0; x < pitch; x++)
      now(y, x) = next(y, x) = ((rank * rows + y - 1) * 7 + x * 13) % 64;
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  // The first and the last row of the plate stay.
  const int from = rank == 0 ? 2 : 1, to = rank == size - 1 ? rows - 1 : rows;
  for (int step = 0; step < steps; step += 2) {
    exchange(now, rows, above, below);
    relax(next, now, from, to);
    exchange(next, rows, above, below);
    relax(now, next, from, to);
  }
  long long sum = 0, total = 0; // whole numbers add up to the same in any order
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= width; x++)
      sum += static_cast<long long>(now(y, x) * 1048576.0);
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%lld\n", total);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (height % size != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  run(rank, size);
  MPI_Finalize();
  return 0;
}
