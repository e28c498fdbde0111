// Barriers beside a clock in each step: in the loop with the other file's clock, and in functions that the loop calls.
#include "parts.h"

static double u[4096];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double spent = 0.0, waited = 0.0;
  for (int step = 0; step < 2000; step++) {
    relax(u, 4096);
    // expect: mpi-redundant-barrier medium "beside a clock" "take the time without the barrier, or leave it"
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    exchange(u, 4096, left, right);
    spent += seconds() - begin;
    const double end = together();
    shift(u, 4096, left, right);
    waited += together() - end;
    if (step % 500 == 0)
      save(u, 4096);
  }
  MPI_Finalize();
  return spent + waited < 0.0;
}
