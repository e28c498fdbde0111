// A stencil behind the wait needs the halo rows in its first and last row only. Sizes are known at run time.
#include <mpi.h>
#include <vector>

class Strip {
public:
  Strip(int rows, int columns) : rows(rows), columns(columns), now((rows + 2) * columns), next((rows + 2) * columns) {}
  double &operator()(int row, int column) { return now[static_cast<std::size_t>(row) * columns + column]; }

  void exchange(int up, int down, MPI_Comm comm) {
    std::vector<MPI_Request> requests(4);
    MPI_Irecv(&(*this)(0, 0), columns, MPI_DOUBLE, up, 0, comm, &requests[0]);
    MPI_Irecv(&(*this)(rows + 1, 0), columns, MPI_DOUBLE, down, 1, comm, &requests[1]);
    MPI_Isend(&(*this)(1, 0), columns, MPI_DOUBLE, up, 1, comm, &requests[2]);
    MPI_Isend(&(*this)(rows, 0), columns, MPI_DOUBLE, down, 0, comm, &requests[3]);
    // expect: mpi-no-overlap low "MPI_Waitall"
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }

  void smooth() {
    for (int row = 1; row <= rows; row++)
      for (int column = 1; column < columns - 1; column++)
        next[static_cast<std::size_t>(row) * columns + column] =
            0.25 * ((*this)(row - 1, column) + (*this)(row + 1, column) + (*this)(row, column - 1) +
                    (*this)(row, column + 1));
  }

private:
  int rows, columns;
  std::vector<double> now, next;
};

void run(Strip &strip, int up, int down, int steps, MPI_Comm comm) {
  for (int step = 0; step < steps; step++) {
    strip.exchange(up, down, comm);
    strip.smooth();
  }
}
