#ifndef FIELD_H
#define FIELD_H

#include <mpi.h>

typedef struct {
  double *u, *next;
  int n, left, right;
  MPI_Comm comm;
} Field;

void field_create(Field *field, int n, MPI_Comm comm);
void field_destroy(Field *field);
void exchange(Field *field);
void relax(Field *field);
double total(const Field *field);

#endif
