#include "layer.h"
#include <math.h>

void amplitudes(double *re, double *im, int modes) {
  for (int m = 0; m < modes; m++) {
    // expect: mpi-tiny-messages medium "loop over 'm' passes 8 bytes per call" "to MPI_Allreduce" "the range is contiguous"
    // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row pass 16 bytes together"
    sum_all(&re[m], 1);
    // expect: mpi-tiny-messages medium "loop over 'm' passes 8 bytes per call"
    sum_all(&im[m], 1);
  }
}

// What is reduced in place is set by the iteration before it is read.
static double change(const double *now, const double *before, int cells) {
  double most = 0.0;
  for (int c = 0; c < cells; c++)
    if (fabs(now[c] - before[c]) > most)
      most = fabs(now[c] - before[c]);
  // expect: mpi-tiny-messages medium "loop over 'g' passes 8 bytes per call" "behind the loop"
  most_of(1, &most);
  return most;
}

int converged(double *changes, const double *now, const double *before, int groups, int cells) {
  int open = 0;
  for (int g = 0; g < groups; g++) {
    changes[g] = change(now + g * cells, before + g * cells, cells);
    open += changes[g] > 1e-6;
  }
  return open == 0;
}

// It starts from what the call before has brought, but in the first iteration.
double running(const double *now, int groups, int cells) {
  double most;
  for (int g = 0; g < groups; g++) {
    if (g == 0)
      most = 0.0;
    for (int c = 0; c < cells; c++)
      if (now[g * cells + c] > most)
        most = now[g * cells + c];
    most_of(1, &most);
  }
  return most;
}

void others(double *x, double *copies, int modes) {
  for (int m = 0; m < modes; m++)
    sum_part(&x[m], 1);
  for (int m = 0; m < modes; m++)
    sum_later(&x[m], 1);
  for (int m = 0; m < modes; m++)
    sum_turned(&x[m], 1);
  for (int m = 0; m < modes; m++)
    sum_odd(&x[m], 1);
  for (int m = 0; m < modes; m++)
    sum_offset(&x[m], 1);
  for (int m = 0; m < modes; m++)
    sum_twice(&x[m], 1, &copies[m]);
  for (int m = 0; m < modes; m++)
    sum_counted(&x[m], 1);
}
