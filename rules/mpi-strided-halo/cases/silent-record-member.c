// Members of each record along a contiguous range: the border is contiguous, only the records have more in them.
#include <mpi.h>

struct particle {
  double x, y, z, vx, vy, vz, mass, charge, spin;
};

void iterate(struct particle *particles, int border, int count, double *out, double *in, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < border; i++) {
      const struct particle *p = &particles[count - border + i];
      const double members[7] = {p->x, p->y, p->z, p->vx, p->vy, p->vz, p->mass};
      for (int k = 0; k < 7; k++)
        out[7 * i + k] = members[k];
    }
    MPI_Sendrecv(out, 7 * border, MPI_DOUBLE, right, 0, in, 7 * border, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < border; i++) {
      particles[count + i].x = in[7 * i];
      particles[count + i].y = in[7 * i + 1];
      particles[count + i].z = in[7 * i + 2];
      particles[count + i].vx = in[7 * i + 3];
      particles[count + i].vy = in[7 * i + 4];
      particles[count + i].vz = in[7 * i + 5];
      particles[count + i].mass = in[7 * i + 6];
    }
  }
}
