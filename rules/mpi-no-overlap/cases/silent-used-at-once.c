// All that follows needs what arrived: a gather through an index list, a sum over the received block, a scaling by it.
#include <mpi.h>

double gather(const double *a, const int *column, const int *row, int rows, double *x, int own, int remote,
              const int *peer, const int *count, int peers, double *y, const double *out, MPI_Comm comm) {
  MPI_Request request[64];
  int at = own;
  for (int p = 0; p < peers; p++) {
    MPI_Irecv(x + at, count[p], MPI_DOUBLE, peer[p], 0, comm, &request[p]);
    at += count[p];
  }
  for (int p = 0; p < peers; p++)
    MPI_Send(out, count[p], MPI_DOUBLE, peer[p], 0, comm);
  for (int p = 0; p < peers; p++)
    MPI_Wait(&request[p], MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    for (int k = row[i]; k < row[i + 1]; k++)
      sum += a[k] * x[column[k]];
    y[i] = sum;
  }
  return y[0] + remote;
}

double block(double *in, const double *out, double *u, int n, int left, int right, MPI_Comm comm) {
  MPI_Request request[2];
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, comm, &request[0]);
  MPI_Isend(out, n, MPI_DOUBLE, right, 1, comm, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += in[i];
  const double scale = 1.0 / sum;
  for (int j = 0; j < 1000; j++)
    for (int i = 0; i < n; i++)
      u[j * n + i] *= scale;
  return sum;
}
