// The ranks write to the terminal in turn.
#include <mpi.h>
#include <stdio.h>

void print_in_turn(const char *text, int rank, int size, MPI_Comm comm) {
  for (int turn = 0; turn < size; turn++) {
    if (turn == rank) {
      printf("rank %d: %s\n", rank, text);
      fflush(stdout);
    }
    MPI_Barrier(comm);
  }
}
