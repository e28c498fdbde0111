#ifndef FIELD_H
#define FIELD_H
#include <mpi.h>

struct field {
  double *u, *next;
  double *in, *out;
  int rows, columns, left, right;
};

void exchange(struct field *f);
void exchange_once(struct field *f);
void exchange_first(struct field *f);
void advance(struct field *f);
void relax(struct field *f);
void relax_first(struct field *f);
void copy(double *next, const double *u, int rows, int columns);

#endif
