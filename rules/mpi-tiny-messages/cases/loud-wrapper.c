// The loop is in one function, the send in another one.
#include <mpi.h>
#include <stddef.h>

static void put(const float *value, int peer) {
  // expect: mpi-tiny-messages high "to the same rank" "i' and 'j"
  MPI_Send(value, 1, MPI_FLOAT, peer, 2, MPI_COMM_WORLD);
}

void send_plane(const float *values, size_t nx, size_t ny, size_t pitch, int peer) {
  for (size_t i = 0; i < nx; i++)
    for (size_t j = 0; j < ny; j++)
      put(&values[i * pitch + j], peer);
}
