// What all ranks are to know of the bodies here is computed and gathered.
#include "bodies.h"
#include <mpi.h>
#include <string.h>

struct body *bodies;
struct moments *all;
int count;

void share_moments(void) {
  struct moments mine;
  memset(&mine, 0, sizeof mine);
  for (int i = 0; i < count; i++) {
    mine.mass += bodies[i].mass;
    for (int k = 0; k < 3; k++)
      mine.centre[k] += bodies[i].mass * bodies[i].position[k];
  }
  mine.count = count;
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
}
