#ifndef HALO_H
#define HALO_H
#include <mpi.h>

void begin(double *u, int n, int rows, int lo, int hi, MPI_Request *requests);

#endif
