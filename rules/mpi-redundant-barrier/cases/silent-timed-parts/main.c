// Beside the other file's clock: a loop that does nothing but what is timed, files and collective calls that come next,
// and functions that the program calls once.
#include "parts.h"

static double u[4096];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const double all = together();
  double spent = 0.0;
  for (int trial = 0; trial < 20; trial++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    exchange(u, 4096, left, right);
    spent += seconds() - begin;
  }
  for (int step = 0; step < 2000; step++) {
    relax(u, 4096);
    exchange(u, 4096, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    save(u, 4096);
    spent += seconds() - begin;
    relax(u, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    const double middle = seconds();
    u[0] = largest(u[1]);
    spent += seconds() - middle;
    relax(u, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    const double last = seconds();
    load(u, 4096);
    spent += seconds() - last;
    relax(u, 4096);
  }
  for (int step = 0; step < 2000; step++) {
    relax(u, 4096);
    save(u, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    exchange(u, 4096, left, right);
    spent += seconds() - begin;
    relax(u, 4096);
  }
  spent += together() - all;
  MPI_Finalize();
  return spent < 0.0;
}
