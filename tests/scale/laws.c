/* Thirty places whose laws are known: how often the rank with the most comes there, of P ranks. Argument: how many rows
 * the problem has. Each call is with the rank itself, so that all depends on the ranks alone. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#define CALLS(count)                                                                                                   \
  for (long left = lround(count); left > 0; --left)                                                                    \
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF)

static long least(long a, long b) { return a < b ? a : b; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sides[2] = {0, 0}, cube[3] = {0, 0, 0}, value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, sides);
  MPI_Dims_create(size, 3, cube);
  const long P = size, X = sides[0], Y = sides[1], A = cube[0], B = cube[1], C = cube[2], rows = atol(argv[1]);
  long up = 0, down = 0;
  while (1L << up < P)
    ++up;
  while (2L << down <= P)
    ++down;
  CALLS(20);                                                         /* constant */
  CALLS(1);                                                          /* constant */
  CALLS(7 + 0 * rank);                                               /* constant */
  CALLS(3 * up);                                                     /* tree */
  CALLS(3 * down + 5);                                               /* tree */
  CALLS(P * up);                                                     /* P log P */
  CALLS(5 * P);                                                      /* P */
  CALLS(5 * (P - 1));                                                /* P */
  CALLS(2 * P + 10);                                                 /* P */
  CALLS(P / 2);                                                      /* pairs */
  CALLS(P * P);                                                      /* P^2 */
  CALLS(P * (P - 1));                                                /* P^2 */
  CALLS(2 * P * P + 9);                                              /* P^2 */
  CALLS(P * P * P);                                                  /* P^3 */
  CALLS(rank == 0 ? 10 + 5 * (P - 1) : 10);                          /* imbalance that grows */
  CALLS(rank == 0 ? P : 1);                                          /* imbalance that grows */
  CALLS(8 * X);                                                      /* side of a square */
  CALLS(8 * (X + Y));                                                /* sides of a square */
  CALLS(4 * A);                                                      /* side of a cube */
  CALLS(4 * (A + B + C));                                            /* sides of a cube */
  CALLS(10 * (least(X - 1, 2) + least(Y - 1, 2)));                   /* neighbours in a square */
  CALLS(10 * (least(A - 1, 2) + least(B - 1, 2) + least(C - 1, 2))); /* neighbours in a cube */
  CALLS(least(A, 3) * least(B, 3) * least(C, 3) - 1);                /* neighbours in a cube, with corners */
  CALLS(10 * least(P - 1, 2));                                       /* neighbours on a line */
  CALLS(4 * P - 2 * (X + Y));                                        /* exchanges of a square */
  CALLS(6 * P - 2 * (A * B + B * C + C * A));                        /* exchanges of a cube */
  CALLS((rows + P - 1) / P);                                         /* rows of a rank */
  CALLS((rows + X - 1) / X);                                         /* rows of a side */
  CALLS(rows);                                                       /* rows */
  CALLS(P * (P - 1) / 2);                                            /* pairs of all */
  MPI_Finalize();
  return value != 1;
}
