// One element of a datatype per message: a record, described member by member, by its bytes, or in another function.
#include <mpi.h>
#include <stddef.h>

struct particle {
  double position[3], velocity[3];
  int kind;
};

struct link {
  int rank;
  MPI_Datatype moments;
};

void send_members(const struct particle *particles, int count, int rank) {
  MPI_Datatype type;
  const int lengths[3] = {3, 3, 1};
  const MPI_Aint places[3] = {offsetof(struct particle, position), offsetof(struct particle, velocity),
                              offsetof(struct particle, kind)};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < count; i++)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(&particles[i], 1, type, rank, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

void send_bytes(const struct particle *particles, int count, int rank) {
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(struct particle), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < count; i++)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(&particles[i], 1, type, rank, 1, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

void open_link(struct link *link, int rank) {
  link->rank = rank;
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &link->moments);
  MPI_Type_commit(&link->moments);
}

void send_moments(const struct link *link, double (*moments)[12], int count) {
  for (int i = 0; i < count; i++)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(moments[i], 1, link->moments, link->rank, 2, MPI_COMM_WORLD);
}
