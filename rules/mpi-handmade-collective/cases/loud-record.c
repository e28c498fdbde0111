// Rank and size come in a record that another file fills: who collects is seen from what the others do.
#include <mpi.h>
#include <stdio.h>

typedef struct {
  int rank, size;
  FILE *file;
} Process;

void save(const Process *process, float *frame, int values) {
  if (process->rank == 0) {
    fwrite(frame, sizeof *frame, values, process->file);
    for (int source = 1; source < process->size; source++) {
      // expect: mpi-handmade-collective medium "receives a block from one rank after another" "'source' over the ranks"
      MPI_Recv(frame, values, MPI_FLOAT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      // expect: mpi-serial-io medium
      fwrite(frame, sizeof *frame, values, process->file);
    }
  } else {
    MPI_Send(frame, values, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  }
}
