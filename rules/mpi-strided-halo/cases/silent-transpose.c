// Blocks of a matrix change places: all of it is sent, whatever the order in which it is copied.
#include <mpi.h>
#include <stddef.h>

void transpose(double *result, const double *matrix, double *out, double *in, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int block = n / size;
  for (int step = 1; step < size; step++) {
    const int to = (rank + step) % size, from = (rank + size - step) % size;
    for (int j = 0; j < block; j++)
      // expect: mem-unblocked-transpose medium "matrix" "out"
      for (int i = 0; i < block; i++)
        out[j * block + i] = matrix[(size_t)i * n + to * block + j];
    // expect: mpi-handmade-collective medium "sends from every rank to every other" "'step' over the ranks"
    MPI_Sendrecv(out, block * block, MPI_DOUBLE, to, 0, in, block * block, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int j = 0; j < block; j++)
      for (int i = 0; i < block; i++)
        result[(size_t)j * n + from * block + i] = in[j * block + i];
  }
}
