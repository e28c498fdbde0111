// flags: -fopenmp
// The number that decides who sends is that of the part, which a loop hands out, and not the thread's.
#include <mpi.h>

void edges(const double *parts, int count, int up) {
#pragma omp parallel for
  for (int part = 0; part < count; part++) {
    int number = -1;
    number = part;
    if (number == 0)
      // expect: mpi-thread-level high
      MPI_Send(parts, 8, MPI_DOUBLE, up, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  double parts[100] = {1.0};
  MPI_Init(&argc, &argv);
  edges(parts, 12, 0);
  MPI_Finalize();
  return 0;
}
