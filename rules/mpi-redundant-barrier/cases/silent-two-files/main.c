// Barriers that something in the other file needs: a clock, a file that another rank reads, a wildcard receive.
#include <mpi.h>

double seconds(void);
void write_part(const double *u, int n, int step);
void read_parts(double *u, int n, int step);
void relax(double *u, int n);
void collect(double *u, int n);
void deliver(const double *u, int n);

static double u[4096];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double spent = 0.0;
  for (int step = 0; step < 20; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    relax(u, 4096);
    spent += seconds() - begin;
  }
  for (int step = 0; step < 20; step++) {
    relax(u, 4096);
    write_part(u, 4096, step);
    MPI_Barrier(MPI_COMM_WORLD);
    read_parts(u, 4096, step);
  }
  for (int step = 0; step < 20; step++) {
    relax(u, 4096);
    if (rank == 0)
      collect(u, 4096);
    else
      deliver(u, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return spent < 0.0;
}
