/* Ranks with totals of their own: rank r makes r + 1 rounds of sends to rank 0, each of three messages; odd ranks
 * reduce from a place of their own. Then the last rank dies with the argument "kill", and comes late with "late". */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double sum;

static __attribute__((noinline)) void reduce_here(double *value) {
  MPI_Allreduce(value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  __asm__ volatile("");
}

static __attribute__((noinline)) void reduce_there(double *value) {
  MPI_Allreduce(value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  int rank, size;
  double values[3] = {1, 2, 3};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (int i = 1; i < size; ++i)
      for (int n = 0; n < 3 * (i + 1); ++n)
        MPI_Recv(values, 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int round = 0; round <= rank; ++round) {
      for (int i = 0; i < 3; ++i)
        MPI_Send(&values[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      MPI_Send(NULL, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
  }
  if (rank % 2)
    reduce_there(values);
  else
    reduce_here(values);
  if (argc > 1 && !strcmp(argv[1], "kill") && rank == size - 1)
    kill(getpid(), SIGKILL);
  if (argc > 1 && !strcmp(argv[1], "late") && rank == size - 1)
    sleep(3);
  if (rank == 0)
    printf("%g\n", sum);
  MPI_Finalize();
  return 0;
}
