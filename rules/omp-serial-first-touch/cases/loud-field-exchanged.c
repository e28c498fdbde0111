// flags: -fopenmp
// run-args: 1000 0
// ranks: 2
// Arrays of which a part goes to other ranks are no buffers of messages where a team works on them in place. Before the
// first step one rank after another fills its array, or reads it from a file; the name that is printed changes nothing.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct species {
  char name[16];
  double *density, *momentum;
};

void swap_ends(double *field, int cells) {
  MPI_Sendrecv(field + 1, 1, MPI_DOUBLE, 0, 0, field + cells, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void fill(double *field, int cells) {
  // expect: omp-serial-first-touch medium "'field'" "line 56"
  for (int i = 0; i < cells + 2; i++)
    field[i] = 1.0;
}

void load(double *field, int cells, FILE *file) {
  if (fread(field, sizeof *field, cells + 2, file) == 0)
    abort();
}

int main(int argc, char **argv) {
  int ranks, rank, cells = atoi(argv[1]), steps = atoi(argv[2]);
  struct species s = {"ions", NULL, NULL};
  FILE *file = fopen("restart", "r");
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  s.density = malloc((size_t)(cells + 2) * sizeof(double));
  s.momentum = malloc((size_t)(cells + 2) * sizeof(double));
  printf("%s\n", s.name);
  if (file)
    load(s.density, cells, file);
  else
    // expect: omp-serial-first-touch medium "'density'" "line 56"
    for (int i = 0; i < cells + 2; i++)
      s.density[i] = 2.0;
  for (int r = 0; r < ranks; r++) {
    if (r == rank)
      fill(s.momentum, cells);
    // expect: mpi-redundant-barrier medium
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int t = 0; t < steps; t++) {
    swap_ends(s.density, cells);
    swap_ends(s.momentum, cells);
#pragma omp parallel for
    for (int i = 1; i <= cells; i++) {
      s.density[i] = 0.5 * s.density[i];
      s.momentum[i] *= 0.5;
    }
  }
  MPI_Finalize();
  return 0;
}
