// What neighbours have is added to what stays here, to elements of its own, or replaces what is sent: no sum of all.
#include <mpi.h>

double sum_of_neighbours(double mine, const int *neighbour, int neighbours, MPI_Comm comm) {
  double sum = mine;
  for (int i = 0; i < neighbours; i++) {
    double theirs;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, neighbour[i], 0, &theirs, 1, MPI_DOUBLE, neighbour[i], 0, comm,
                 MPI_STATUS_IGNORE);
    sum += theirs;
  }
  return sum;
}

void assemble(double *field, const int *first, const int *neighbour, int neighbours, int count, double *theirs,
              MPI_Comm comm) {
  for (int i = 0; i < neighbours; i++) {
    MPI_Sendrecv(field + first[i], count, MPI_DOUBLE, neighbour[i], 0, theirs, count, MPI_DOUBLE, neighbour[i], 0, comm,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < count; k++)
      field[first[i] + k] += theirs[k];
  }
}

void pass_on(double *value, const int *to, const int *from, int rounds, MPI_Comm comm) {
  for (int i = 0; i < rounds; i++) {
    double theirs;
    MPI_Sendrecv(value, 1, MPI_DOUBLE, to[i], 0, &theirs, 1, MPI_DOUBLE, from[i], 0, comm, MPI_STATUS_IGNORE);
    *value += theirs;
  }
}
