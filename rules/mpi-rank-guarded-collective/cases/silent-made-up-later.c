// What one condition leaves out another one makes up for: on every rank the same calls in the same order.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void finish(FILE *out) {
  fputs("done\n", out);
  MPI_Barrier(MPI_COMM_WORLD);
  fclose(out);
}

// The others wait first and the root where it has written.
void log_run(int verbose) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *out = rank == 0 ? fopen("run.log", "w") : NULL;
  if (rank)
    MPI_Barrier(MPI_COMM_WORLD);
  if (verbose)
    printf("rank %d\n", rank);
  if (!rank)
    finish(out);
}

// One number after the other.
void in_parts(double *sums, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 1)
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 1)
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank > 1)
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void by_case(double *sums, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  switch (rank) {
  case 0:
    for (int i = 0; i < n; i++)
      sums[i] = i;
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    break;
  default:
    break;
  }
  if (rank != 0)
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

// Helpers for one side each: their caller calls both.
static void others_wait(int rank) {
  if (rank != 0)
    MPI_Barrier(MPI_COMM_WORLD);
}
static void root_arrives(int rank) {
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD);
}

void one_first(double *table, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  others_wait(rank);
  for (int i = 0; i < n; i++)
    table[i] = 0.5 * i;
  root_arrives(rank);
}

// The root leaves early, behind a call of its own.
int leave(double *value) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    *value = 1.0;
    MPI_Bcast(value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return 0;
  }
  *value = 0.0;
  MPI_Bcast(value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return rank;
}
