// One message for each particle that leaves, or for each node that a list says is shared: all of them exist before.
#include <mpi.h>

typedef struct {
  double x[3], v[3];
  long id;
} Particle;

void leaves(Particle *p, int n, double hi, int right) {
  int gone = 0;
  for (int i = 0; i < n; ++i)
    if (p[i].x[0] >= hi) {
      // expect: mpi-tiny-messages medium "sends 56 bytes per message" "element that it chooses" "copy the elements"
      MPI_Send(&p[i], sizeof(Particle), MPI_BYTE, right, 7, MPI_COMM_WORLD);
      ++gone;
    }
  MPI_Send(&gone, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
}

void shared_nodes(double *value, const int *node, const int *owner, int n, int other) {
  for (int i = 0; i < n; ++i)
    if (owner[node[i]] == other)
      // expect: mpi-tiny-messages medium "sends 8 bytes per message" "element that it chooses" "copy the elements"
      MPI_Send(&value[node[i]], 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
}

void records_of_the_run(float *part, int n, int length, float hi, int right) {
  for (int j = 0; j < n; ++j)
    if (part[length * j + 1] >= hi)
      // expect: mpi-tiny-messages medium "sends 4 * length bytes" "element that it chooses" "copy the"
      MPI_Send(&part[length * j], length, MPI_FLOAT, right, 7, MPI_COMM_WORLD);
}
