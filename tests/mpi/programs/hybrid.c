/* MPI and OpenMP: every thread talks with its like on the other rank, then the team computes and one thread talks. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { THREADS = 3, STEPS = 50, N = 1000 };

static double field[N];

int main(int argc, char **argv) {
  int rank, provided;
  double total = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    MPI_Abort(MPI_COMM_WORLD, 77);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int peer = 1 - rank;
#pragma omp parallel num_threads(THREADS) reduction(+ : total)
  {
    int tag = omp_get_thread_num();
    double mine = rank + tag, theirs = 0;
    for (int i = 0; i < STEPS; ++i) {
      MPI_Request request;
      MPI_Irecv(&theirs, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, &request);
      MPI_Send(&mine, 1, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      total += theirs;
    }
  }
  for (int i = 0; i < STEPS; ++i) {
#pragma omp parallel for num_threads(THREADS)
    for (int j = 0; j < N; ++j)
      field[j] = 0.5 * (field[j] + j + rank);
    MPI_Sendrecv_replace(field, N, MPI_DOUBLE, peer, THREADS, peer, THREADS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Allreduce(MPI_IN_PLACE, field, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %.3f %.3f\n", rank, total, field[N / 2]);
  MPI_Finalize();
  return 0;
}
