// Every call goes through a macro that checks its result.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    int code = (call);                                                                                                 \
    if (code != MPI_SUCCESS) {                                                                                         \
      char text[MPI_MAX_ERROR_STRING];                                                                                 \
      int length = 0;                                                                                                  \
      MPI_Error_string(code, text, &length);                                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, text);                                                        \
      MPI_Abort(MPI_COMM_WORLD, code);                                                                                 \
    }                                                                                                                  \
  } while (0)

#define CHECK_IF(wanted, call)                                                                                         \
  do {                                                                                                                 \
    if (wanted)                                                                                                        \
      CHECK(call);                                                                                                     \
  } while (0)

void smooth(double *u, double *v, int n, int steps, int left, int right, int debug, MPI_Comm comm) {
  for (int step = 0; step < steps; step++) {
    CHECK(MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE));
    // expect: mpi-redundant-barrier medium "in the loop at line 25"
    CHECK(MPI_Barrier(comm));
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * (u[i - 1] + u[i]);
    CHECK_IF(debug, MPI_Barrier(comm));
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
  }
}
