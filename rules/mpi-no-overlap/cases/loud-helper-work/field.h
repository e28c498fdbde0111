#ifndef FIELD_H
#define FIELD_H
#include <mpi.h>

struct field {
  double *u, *next;
  double *in, *out;
  int rows, columns, left, right;
};

void exchange(struct field *f);
void advance(struct field *f);
void relax(struct field *f);
void stream(double *next, const double *u, int rows, int columns);
void forces(double *next, const double *u, int rows, int columns);

#endif
