// The wrapper adds up the time in messages, and leaves out neighbours that are not there.
#include <mpi.h>

typedef struct {
  MPI_Comm comm;
  int right;
  double seconds;
} Context;

static void put(Context *c, const double *values, int n, int peer) {
  if (peer == MPI_PROC_NULL || n <= 0)
    return;
  double start = MPI_Wtime();
  // expect: mpi-tiny-messages medium "to the same rank" "message"
  MPI_Send(values, n, MPI_DOUBLE, peer, 3, c->comm);
  c->seconds += MPI_Wtime() - start;
}

void send_column(Context *c, const double *u, int rows, int pitch) {
  for (int j = 0; j < rows; j++)
    put(c, &u[j * pitch], 1, c->right);
}
