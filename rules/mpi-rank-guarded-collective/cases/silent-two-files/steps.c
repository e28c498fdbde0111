#include <mpi.h>
#include <stdio.h>

static void broadcast(double *values, int n) { MPI_Bcast(values, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

void send_parameters(double *values, int n) {
  for (int i = 0; i < n; i++)
    values[i] = 1.0 / (i + 1);
  broadcast(values, n);
}

void receive_parameters(double *values, int n) { broadcast(values, n); }

void leaders_only(MPI_Comm leaders, double *values, int n) { MPI_Bcast(values, n, MPI_DOUBLE, 0, leaders); }

void own_business(double *values, int n) {
  double sum = 0.0;
  MPI_Allreduce(&values[n - 1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  values[0] += sum;
}

// The number of rounds is agreed on; the calls of both sides meet.
void serve(double *values, int n) {
  for (int round = 0; round < 3; round++) {
    values[0] += round;
    MPI_Bcast(values, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void work(double *values, int n) {
  while (values[0] < 3.0)
    MPI_Bcast(values, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

void print_all(const double *values, int n) {
  for (int i = 0; i < n; i++)
    printf("%g\n", values[i]);
}
