/* Sends one element or more of datatypes of every making; the tag tells the pieces that a message has. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static char *memory;
static int rank;

static void pass(int count, MPI_Datatype type, int pieces) {
  if (rank == 0)
    MPI_Send(memory, count, type, 1, pieces, MPI_COMM_WORLD);
  else
    MPI_Recv(memory, count, type, 0, pieces, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each datatype is used from a line of its own, and freed: its handle may come back for the next. */
#define PASS(count, type, pieces)                                                                                      \
  do {                                                                                                                 \
    MPI_Type_commit(&type);                                                                                            \
    pass(count, type, pieces);                                                                                         \
    MPI_Type_free(&type);                                                                                              \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memory = calloc(1 << 22, 1);
  MPI_Datatype t, inner, column;

  pass(10, MPI_DOUBLE, 0);
  MPI_Type_contiguous(7, MPI_INT, &t);
  PASS(3, t, 0);
  MPI_Type_vector(20, 2, 9, MPI_DOUBLE, &t);
  PASS(1, t, 20);
  MPI_Type_vector(20, 2, 9, MPI_DOUBLE, &t);
  PASS(3, t, 60);
  MPI_Type_vector(20, 9, 9, MPI_DOUBLE, &t);
  PASS(1, t, 0);
  MPI_Type_create_hvector(21, 2, 128, MPI_INT, &t);
  PASS(1, t, 21);
  int lengths[5] = {2, 3, 1, 0, 4}, places[5] = {0, 2, 9, 11, 20}; /* the first two touch */
  MPI_Type_indexed(5, lengths, places, MPI_DOUBLE, &t);
  PASS(1, t, 3);
  MPI_Aint addresses[5] = {0, 16, 80, 96, 200};
  MPI_Type_create_hindexed(5, lengths, addresses, MPI_DOUBLE, &t);
  PASS(1, t, 3);
  MPI_Type_create_indexed_block(5, 2, places, MPI_DOUBLE, &t); /* two pairs that touch */
  PASS(1, t, 3);
  MPI_Type_create_hindexed_block(5, 2, addresses, MPI_DOUBLE, &t);
  PASS(1, t, 3);

  int sizes[3] = {12, 10, 8}, inside[3] = {4, 5, 8}, corner[3] = {1, 2, 0};
  MPI_Type_create_subarray(3, sizes, inside, corner, MPI_ORDER_C, MPI_DOUBLE, &t);
  PASS(1, t, 4); /* whole rows of 8, five of which touch */
  MPI_Type_create_subarray(3, sizes, inside, corner, MPI_ORDER_FORTRAN, MPI_DOUBLE, &t);
  PASS(1, t, 40);
  int face[3] = {12, 10, 1}, origin[3] = {0, 0, 0};
  MPI_Type_create_subarray(3, sizes, face, origin, MPI_ORDER_C, MPI_DOUBLE, &t);
  PASS(2, t, 240);

  MPI_Datatype members[3] = {MPI_INT, MPI_DOUBLE, MPI_INT};
  int ones[3] = {1, 1, 1};
  MPI_Aint offsets[3] = {0, 8, 16};
  MPI_Type_create_struct(3, ones, offsets, members, &t);
  PASS(4, t, 8); /* a hole behind the first; the others touch */

  MPI_Type_vector(16, 1, 32, MPI_DOUBLE, &inner);
  MPI_Type_create_resized(inner, 0, sizeof(double), &column);
  MPI_Type_contiguous(5, column, &t);
  PASS(1, t, 80);
  MPI_Type_dup(column, &t);
  PASS(2, t, 32);
  MPI_Type_create_hvector(6, 1, 4096, column, &t);
  PASS(1, t, 96);
  MPI_Type_free(&inner);
  MPI_Type_free(&column);

  /* Other ways to send. */
  MPI_Type_vector(30, 1, 9, MPI_DOUBLE, &t);
  MPI_Type_commit(&t);
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Isend(memory, 1, t, 1, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Send_init(memory, 1, t, 1, 30, MPI_COMM_WORLD, &requests[0]);
  } else {
    MPI_Recv(memory, 1, t, 0, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv_init(memory, 1, t, 0, 30, MPI_COMM_WORLD, &requests[0]);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Sendrecv(memory, 1, t, 1 - rank, 30, memory + (1 << 21), 1, t, 1 - rank, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&t);
  free(memory);
  MPI_Finalize();
  return 0;
}
