// One element of a border goes there, and the neighbour's comes back, in each iteration: the greater one stays.
#include <mpi.h>

void agree(int *flags, int n, int neighbour) {
  for (int i = 0; i < n; i++) {
    int mine = flags[i], other = 0;
    // expect: mpi-tiny-messages high "loop over 'i' sends 4 bytes per message"
    MPI_Sendrecv(&mine, 1, MPI_INT, neighbour, 6, &other, 1, MPI_INT, neighbour, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (other > mine)
      flags[i] = other;
  }
}

// The next one that is sent is made of what has come: it cannot leave before.
void hand_on(int *flags, int n, int neighbour) {
  for (int i = 0; i < n - 1; i++) {
    int mine = flags[i], other = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, neighbour, 6, &other, 1, MPI_INT, neighbour, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (other > mine)
      flags[i + 1] = other;
  }
}
