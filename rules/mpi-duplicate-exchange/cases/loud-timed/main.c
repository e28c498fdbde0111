// Steps that time one of their exchanges: the work behind the clock is none that it measures. Where nothing but the
// clock is asked between two exchanges, the second one is what is measured.
#include "field.h"
#include <mpi.h>

double steps(struct field *f, int count) {
  double inside = 0.0;
  for (int k = 0; k < count; k++) {
    const double begin = MPI_Wtime();
    exchange(f, f->v);
    inside += MPI_Wtime() - begin;
    stress(f);
    // expect: mpi-duplicate-exchange medium "exchange exchanges 'f->v' a second time after line 10"
    exchange(f, f->v);
    shear(f);
    move(f);
  }
  return inside;
}

double measure(struct field *f) {
  exchange(f, f->v);
  const double begin = MPI_Wtime();
  exchange(f, f->v);
  return MPI_Wtime() - begin;
}
