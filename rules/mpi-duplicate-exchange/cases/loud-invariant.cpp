// The boundary values never change in the time loop, and travel in each step; a sum of constants is reduced in each step.
#include <mpi.h>
#include <vector>

void run(std::vector<double> &field, const std::vector<double> &boundary, std::vector<double> &ghost, int left,
         int right, int steps, double mass, MPI_Comm comm) {
  const int n = static_cast<int>(boundary.size());
  for (int step = 0; step < steps; ++step) {
    double total = 0.0;
    // expect: mpi-duplicate-exchange high "MPI_Allreduce" "communicates"
    MPI_Allreduce(&mass, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
    // expect: mpi-duplicate-exchange medium "MPI_Sendrecv" "sends"
    MPI_Sendrecv(boundary.data(), n, MPI_DOUBLE, right, 3, ghost.data(), n, MPI_DOUBLE, left, 3, comm,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i)
      field[i] = 0.5 * (field[i] + ghost[i]) / total;
  }
}
