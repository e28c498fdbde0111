// The parity is that of a coordinate, and the order is in a function object's hands.
#include <mpi.h>
#include <vector>

template <typename First, typename Second> void in_order(bool swapped, First first, Second second) {
  if (swapped) {
    second();
    first();
  } else {
    first();
    second();
  }
}

void shift(std::vector<double> &ghost, const std::vector<double> &border, int coordinate, int previous, int next,
           MPI_Comm comm) {
  in_order((coordinate & 1) != 0,
           [&] { MPI_Send(border.data(), static_cast<int>(border.size()), MPI_DOUBLE, next, 0, comm); },
           [&] {
             MPI_Recv(ghost.data(), static_cast<int>(ghost.size()), MPI_DOUBLE, previous, 0, comm, MPI_STATUS_IGNORE);
           });
}
