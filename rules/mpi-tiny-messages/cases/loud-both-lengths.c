// One loop over the longer of two lists sends elements of the one and receives elements of the other.
#include <mpi.h>

typedef struct {
  double x[3], v[3], weight;
} marker;

void shift(const marker *leaving, long out, marker *arriving, long in, int left, int right, MPI_Comm comm) {
  const long rounds = out > in ? out : in;
  for (long m = 0; m < rounds; m++) {
    MPI_Request request;
    if (m < in)
      MPI_Irecv(&arriving[m], (int)sizeof(marker), MPI_BYTE, right, 3, comm, &request);
    if (m < out)
      // expect: mpi-tiny-messages medium "loop over 'm' sends 56 bytes per message"
      MPI_Send(&leaving[m], (int)sizeof(marker), MPI_BYTE, left, 3, comm);
    if (m < in)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
