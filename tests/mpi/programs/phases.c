// Three phases, one of which holds the same call as another; a fourth is begun before MPI_Init.
#include "stridewise.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void work(double seconds) {
  double until = MPI_Wtime() + seconds;
  while (MPI_Wtime() < until)
    ;
}

static void sum(int times) {
  double one = 1, all;
  for (int i = 0; i < times; ++i)
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  char *name = malloc(8);
  int rank;
  strcpy(name, "solve");
  stridewise_phase("start");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sum(1);
  if (!strcmp(how, "levels")) {
    MPI_Pcontrol(0);
    sum(2);
    MPI_Pcontrol(7);
    sum(3);
    MPI_Pcontrol(2);
    sum(4);
    MPI_Pcontrol(-7);
    sum(5);
  } else if (!strcmp(how, "names")) {
    MPI_Pcontrol(1, name);
    sum(2);
    MPI_Pcontrol(-1, name);
    MPI_Pcontrol(1, "never ended so");
    sum(3);
    MPI_Pcontrol(-1, "by another name");
    sum(4);
  } else {
    stridewise_phase("assembly");
    work(rank == 1 ? 0.4 : 0.1);
    sum(10);
    stridewise_phase("solve");
    work(0.2);
    sum(20);
    stridewise_phase("assembly");
    sum(30);
    stridewise_phase(0);
    sum(40);
  }
  MPI_Finalize();
  return 0;
}
