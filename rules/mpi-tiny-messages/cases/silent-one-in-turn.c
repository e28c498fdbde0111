// Each element waits for what its predecessor started, or is sent for some elements only.
#include <mpi.h>

typedef struct {
  double x[3], v[3], weight;
} marker;

void pipeline(const marker *items, long count, const marker *next, int left, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (long m = 0; m < count; m++) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&next[0], (int)sizeof(marker), MPI_BYTE, left, 4, comm, &request);
    MPI_Send(&items[m], (int)sizeof(marker), MPI_BYTE, left, 3, comm);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void some(const marker *items, long count, long wanted, int left, MPI_Comm comm) {
  for (long m = 0; m < count; m++)
    if (m == wanted)
      MPI_Send(&items[m], (int)sizeof(marker), MPI_BYTE, left, 3, comm);
}

// Each value goes on to the next rank, and its answer back.
void there_and_back(double *down, double *up, int count, int above, int below, MPI_Comm comm) {
  for (int k = 0; k < count; k++) {
    MPI_Recv(&down[k], 1, MPI_DOUBLE, above, 1, comm, MPI_STATUS_IGNORE);
    MPI_Send(&down[k], 1, MPI_DOUBLE, below, 1, comm);
    MPI_Recv(&up[k], 1, MPI_DOUBLE, below, 2, comm, MPI_STATUS_IGNORE);
    MPI_Send(&up[k], 1, MPI_DOUBLE, above, 2, comm);
  }
}

void those_below(const marker *items, const long *limits, long count, int left, MPI_Comm comm) {
  for (long m = 0; m < count; m++)
    if (m < limits[m])
      MPI_Send(&items[m], (int)sizeof(marker), MPI_BYTE, left, 3, comm);
}
