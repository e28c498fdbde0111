// Peers that begin behind 0, that other ones than those who are sent to send to, or that the data choose.
#include <mpi.h>

extern int some, *wanted;

void from_one(const double *out, double *in, int n) {
  for (int p = 1; p < some; p++)
    MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 4, in + p * n, n, MPI_DOUBLE, p, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void to_others(const double *out, double *in, int n) {
  for (int p = 0; p < some; p++)
    MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 4, in + p * n, n, MPI_DOUBLE, p + 1, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

void chosen(const double *out, double *in, int n) {
  for (int p = 0; p < some; p++)
    if (wanted[p])
      MPI_Sendrecv(out + p * n, n, MPI_DOUBLE, p, 4, in + p * n, n, MPI_DOUBLE, p, 4, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
}
