// Exchanges that wait at once, and the work behind them, which other units have.
#include "field.h"

// Its callers smooth at once, in their own loops or in a function that they call.
void exchange(struct field *f) {
  MPI_Request requests[4];
  const int n = f->columns;
  MPI_Irecv(f->u, n, MPI_DOUBLE, f->left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(f->u + (f->rows - 1) * n, n, MPI_DOUBLE, f->right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(f->u + n, n, MPI_DOUBLE, f->left, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(f->u + (f->rows - 2) * n, n, MPI_DOUBLE, f->right, 0, MPI_COMM_WORLD, &requests[3]);
  // expect: mpi-no-overlap medium "of relax, a stencil in the same step, needs them at its border only"
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// What arrives is put into the array later: the function that is called next knows nothing of it.
void advance(struct field *f) {
  MPI_Request requests[2];
  const int n = f->columns;
  MPI_Irecv(f->in, n, MPI_DOUBLE, f->left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(f->out, n, MPI_DOUBLE, f->right, 2, MPI_COMM_WORLD, &requests[1]);
  // expect: mpi-no-overlap medium "stream, called next at line 24, is handed none of what arrives"
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  stream(f->next, f->u, f->rows, n);
  for (int j = 0; j < n; j++)
    f->next[j] = f->in[j];
  MPI_Irecv(f->in, n, MPI_DOUBLE, f->left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(f->out, n, MPI_DOUBLE, f->right, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  forces(f->next, f->in, f->rows, n);
}
