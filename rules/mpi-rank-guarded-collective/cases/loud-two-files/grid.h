#ifndef GRID_H
#define GRID_H

#include <mpi.h>

typedef struct {
  double u[4096];
  int n, rank;
} Grid;

void grid_create(Grid *grid, int n);
void relax(Grid *grid);
void save(const Grid *grid, int step);
void synchronise(MPI_Comm comm);
int is_root(void);

#endif
