/* Sleeps in a function that MPI calls, then makes an error in a call that is not watched, after which MPI ends it. */
#include <mpi.h>
#include <unistd.h>

static int on_delete(MPI_Comm comm, int key, void *value, void *state) {
  (void)comm, (void)key, (void)value, (void)state;
  usleep(1000);
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  int key, from, to;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  }
  MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &from, &to);
  MPI_Finalize();
}
