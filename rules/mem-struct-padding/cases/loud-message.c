// Sent as bytes: the gaps travel too. The layout is part of the message, so the order must be changed by hand on both
// sides.
#include <mpi.h>

// expect: mem-struct-padding high "migrant"
struct migrant {
  int species;
  double position;
  int home;
  double momentum;
};

void send_migrants(const struct migrant *migrants, int count, int target, MPI_Comm comm) {
  MPI_Send(migrants, count * (int)sizeof *migrants, MPI_BYTE, target, 3, comm);
}
