// Other peers, other parts, other conditions; a worker that asks for work again and again.
#include <mpi.h>

void peers(const double *data, int n, int left, int right, MPI_Comm comm) {
  MPI_Send(data, n, MPI_DOUBLE, left, 0, comm);
  MPI_Send(data, n, MPI_DOUBLE, right, 0, comm);
}

void everyone(const double *data, int n, int ranks, MPI_Comm comm) {
  for (int to = 1; to < ranks; to++)
    MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

void parts(const double *data, int n, int to, MPI_Comm comm) {
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
  MPI_Send(data + n, n, MPI_DOUBLE, to, 0, comm);
}

void either(const double *data, int n, int to, int even, MPI_Comm comm) {
  if (even)
    MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
  MPI_Barrier(comm);
  if (!even)
    MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

double work(double *job, int n, MPI_Comm comm) {
  double sum = 0.0;
  int ready = 1;
  for (;;) {
    MPI_Send(&ready, 1, MPI_INT, 0, 1, comm);
    MPI_Status status;
    MPI_Recv(job, n, MPI_DOUBLE, 0, MPI_ANY_TAG, comm, &status);
    if (status.MPI_TAG == 9)
      return sum;
    for (int i = 0; i < n; i++)
      sum += job[i];
  }
}
