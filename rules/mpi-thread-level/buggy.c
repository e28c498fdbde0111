// flags: -fopenmp
// Threads share the steps of a sum; whichever of them comes first exchanges the parts with the neighbours, although the
// program told MPI that it has no threads.
#include <mpi.h>
#include <stdio.h>

#define PARTS 8
#define STEPS 25

static double parts[PARTS], other[PARTS];

static double term(int k, int rank) {
  double sum = 0.0;
  for (int i = 1; i < 20000; i++)
    sum += 1.0 / (i + k + rank * PARTS);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
#pragma omp parallel
  for (int step = 0; step < STEPS; step++) {
#pragma omp for
    for (int k = 0; k < PARTS; k++)
      parts[k] = 0.5 * parts[k] + term(k, rank);
#pragma omp single
    // expect: mpi-thread-level high
    // expect-run: mpi-thread-level high "calls from here came from other threads than the one that initialised MPI, with MPI_THREAD_SINGLE provided" "ask MPI_Init_thread for MPI_THREAD_SERIALIZED"
    MPI_Sendrecv(parts, PARTS, MPI_DOUBLE, next, 0, other, PARTS, MPI_DOUBLE, last, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#pragma omp for nowait
    for (int k = 0; k < PARTS; k++)
      parts[k] += other[k];
  }
  double sum = 0.0, total = 0.0;
  for (int k = 0; k < PARTS; k++)
    sum += parts[k];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
