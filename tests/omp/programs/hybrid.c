#include <mpi.h>
#include <stdio.h>

int main(int count, char **arguments) {
  int provided, rank;
  double sum = 0, all = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 30; step++)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 2000; i++)
      sum += i * (rank + 1);
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!rank)
    printf("%.0f\n", all);
  MPI_Finalize();
  return 0;
}
