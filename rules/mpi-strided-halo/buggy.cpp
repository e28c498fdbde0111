// Heat in a class: blocks of columns exchange their borders by a datatype that picks one cell of each row.
// ranks: 4
#include <cstddef>
#include <cstdio>
#include <mpi.h>
#include <vector>

constexpr int height = 8192, width = 256, steps = 40;

class Grid {
public:
  Grid(int rows, int columns) : columns(columns), cells(static_cast<std::size_t>(rows) * columns) {}
  double &operator()(int y, int x) { return cells[static_cast<std::size_t>(y) * columns + x]; }
  double operator()(int y, int x) const { return cells[static_cast<std::size_t>(y) * columns + x]; }

private:
  int columns;
  std::vector<double> cells;
};

class Exchange {
public:
  Exchange(int left, int right, int pitch) : left(left), right(right) {
    MPI_Type_vector(height, 1, pitch, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
  }
  ~Exchange() { MPI_Type_free(&column); }

  void operator()(Grid &grid, int columns) {
    // expect: mpi-strided-halo high "8192 pieces of 8 bytes" "gathered by a datatype"
    // expect-run: mpi-strided-halo high "240 messages of 8,192 pieces of 8 B, 528 B apart, 15,728,640 B in all" "cut the domain along the slowest index"
    MPI_Sendrecv(&grid(0, columns), 1, column, right, 0, &grid(0, 0), 1, column, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&grid(0, 1), 1, column, left, 1, &grid(0, columns + 1), 1, column, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }

private:
  int left, right;
  MPI_Datatype column;
};

static void relax(Grid &next, const Grid &now, int columns) {
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x <= columns; x++)
      next(y, x) = 0.25 * (now(y - 1, x) + now(y, x - 1) + now(y, x + 1) + now(y + 1, x));
}

static void run(int rank, int size) {
  const int columns = width / size;
  Grid now(height, columns + 2), next(height, columns + 2);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < columns + 2; x++)
      now(y, x) = next(y, x) = (y * 7 + (rank * columns + x) * 13) % 64;
  Exchange exchange(rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < size - 1 ? rank + 1 : MPI_PROC_NULL, columns + 2);
  for (int step = 0; step < steps; step += 2) {
    exchange(now, columns);
    relax(next, now, columns);
    exchange(next, columns);
    relax(now, next, columns);
  }
  long long sum = 0, total = 0; // whole numbers add up to the same in any order
  for (int y = 0; y < height; y++)
    for (int x = 1; x <= columns; x++)
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
  if (width % size != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  run(rank, size);
  MPI_Finalize();
  return 0;
}
