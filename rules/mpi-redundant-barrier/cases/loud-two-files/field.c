#include "field.h"

#include <stdlib.h>

void field_create(Field *field, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  field->n = n;
  field->comm = comm;
  field->left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  field->right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  field->u = malloc(sizeof(double) * (n + 2));
  field->next = malloc(sizeof(double) * (n + 2));
  for (int i = 0; i < n + 2; i++)
    field->u[i] = rank + i;
}

void field_destroy(Field *field) {
  free(field->u);
  free(field->next);
}

void exchange(Field *field) {
  double *u = field->u;
  const int n = field->n;
  MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, field->right, 0, &u[0], 1, MPI_DOUBLE, field->left, 0, field->comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, field->left, 1, &u[n + 1], 1, MPI_DOUBLE, field->right, 1, field->comm,
               MPI_STATUS_IGNORE);
}

void relax(Field *field) {
  for (int i = 1; i <= field->n; i++)
    field->next[i] = 0.5 * (field->u[i - 1] + field->u[i + 1]);
  double *swap = field->u;
  field->u = field->next;
  field->next = swap;
}

double total(const Field *field) {
  double mine = 0.0, sum = 0.0;
  for (int i = 1; i <= field->n; i++)
    mine += field->u[i];
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, field->comm);
  return sum;
}
