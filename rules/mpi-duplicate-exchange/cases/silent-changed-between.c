// The data change between the messages: by a store, by a receive, by a call, or through a second name.
#include <mpi.h>

void change(double *data, int n);

void stored(double *data, int n, int to, MPI_Comm comm) {
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
  for (int i = 0; i < n; i++)
    data[i] += 1.0;
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

void received(double *data, int n, int to, int from, MPI_Comm comm) {
  // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "from"
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
  MPI_Recv(data, n, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

void called(double *data, int n, int to, MPI_Comm comm) {
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
  change(data, n);
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

void posted(double *data, int n, int to, int from, MPI_Comm comm) {
  MPI_Request request;
  MPI_Irecv(data, n, MPI_DOUBLE, from, 0, comm, &request);
  MPI_Send(data + n, n, MPI_DOUBLE, to, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send(data, n, MPI_DOUBLE, to, 0, comm);
}

void shifted(double *data, int n, int ranks, int right, int left, MPI_Comm comm) {
  for (int step = 0; step < ranks; step++) {
    MPI_Sendrecv_replace(data, n, MPI_DOUBLE, right, 0, left, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      data[n + i] += data[i];
  }
}
