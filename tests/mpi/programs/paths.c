/* One helper that two places call, through a function with a frame of varying size. */
#include <alloca.h>
#include <mpi.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline)) static void exchange(int peer, int tag) {
  double value = tag;
  MPI_Sendrecv_replace(&value, 1, MPI_DOUBLE, peer, tag, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line 10 */
  sink = (int)value;
}

__attribute__((noinline)) static void left(int peer) {
  exchange(peer, 1); /* line 15 */
  sink = 1;
}

__attribute__((noinline)) static void right(int peer) {
  exchange(peer, 2); /* line 20 */
  sink = 2;
}

__attribute__((noinline)) static void varying(int peer, int bytes) {
  char *space = alloca((size_t)bytes);
  memset(space, bytes, (size_t)bytes);
  sink = space[bytes / 2];
  right(peer); /* line 28 */
  sink = space[bytes / 3];
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 400; ++i) {
    left(1 - rank);                         /* line 37 */
    right(1 - rank);                        /* line 38 */
    varying(1 - rank, 64 + 16 * (i % 100)); /* line 39 */
  }
  MPI_Finalize();
  return 0;
}
