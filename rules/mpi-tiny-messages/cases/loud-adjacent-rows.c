// Rows whose length only the run knows, one by one, although each begins where the one before ends.
#include <mpi.h>
#include <stddef.h>

void rows_out(const double *a, int n, int rows, int target) {
  for (int i = 0; i < rows; i++)
    // expect: mpi-tiny-messages medium "sends 8 * n bytes per message" "to the same rank" "the range is contiguous"
    MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, target, i, MPI_COMM_WORLD);
}

// Rows for rank after rank: those of one rank lie side by side.
void share(const float *a, int n, int rows, int ranks) {
  for (int p = 1; p < ranks; p++)
    for (int i = 0; i < rows; i++)
      // expect: mpi-tiny-messages medium "loop over 'i' sends 4 * n bytes per message"
      MPI_Send(&a[(size_t)(p * rows + i) * n], n, MPI_FLOAT, p, 0, MPI_COMM_WORLD);
}

void add_rows(double *a, int n, int rows) {
  for (int i = 0; i < rows; i++)
    // expect: mpi-tiny-messages medium "passes 8 * n bytes per call"
    MPI_Allreduce(MPI_IN_PLACE, a + (size_t)i * n, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// One root for all blocks.
void publish(double *all, int n, int blocks) {
  for (int b = 0; b < blocks; b++)
    // expect: mpi-tiny-messages medium "passes 8 * n bytes per call"
    MPI_Bcast(all + b * n, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
