// What goes from rank to rank is no sum: a recurrence, a number that the rank's own depends on, lines of data; a scan
// of the set-up, which runs once; and ranks that print in turn.
#include <mpi.h>
#include <stdio.h>

double filter(double mine, int rank, int size, MPI_Comm comm) {
  double state = 0;
  if (rank > 0)
    MPI_Recv(&state, 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  state = 0.5 * state + mine;
  if (rank < size - 1)
    MPI_Send(&state, 1, MPI_DOUBLE, rank + 1, 3, comm);
  return state;
}

double grow(double mine, int rank, int size, MPI_Comm comm) {
  double state = 1;
  if (rank > 0)
    MPI_Recv(&state, 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  state *= mine + state;
  if (rank < size - 1)
    MPI_Send(&state, 1, MPI_DOUBLE, rank + 1, 3, comm);
  return state;
}

void substitute(double *x, const double *d, int n, int rank, int size, MPI_Comm comm) {
  if (rank > 0)
    MPI_Recv(x, 64, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < 64; i++)
    x[i] = 0.5 * x[i] + d[i];
  if (rank < size - 1)
    MPI_Send(x, 64, MPI_DOUBLE, rank + 1, 3, comm);
}

// A line of which the ranks add up the first number alone.
void head(double *x, double mine, int rank, int size, MPI_Comm comm) {
  if (rank > 0)
    MPI_Recv(x, 64, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  x[0] += mine;
  if (rank < size - 1)
    MPI_Send(x, 64, MPI_DOUBLE, rank + 1, 3, comm);
}

// Which of two numbers goes on depends on neither.
double chosen(double mine, int open, int rank, int size, MPI_Comm comm) {
  double state = mine, other;
  if (rank > 0) {
    MPI_Recv(&other, 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
    if (open > 2)
      state = other;
  }
  if (rank < size - 1)
    MPI_Send(&state, 1, MPI_DOUBLE, rank + 1, 3, comm);
  return state;
}

// What is too large is given up: no extremum of two.
double limited(double most, int rank, int size, MPI_Comm comm) {
  double state = 0;
  if (rank > 0)
    MPI_Recv(&state, 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  state = state > most ? 0.5 : state;
  if (rank < size - 1)
    MPI_Send(&state, 1, MPI_DOUBLE, rank + 1, 3, comm);
  return state;
}

int numbered(int lines, int rank, int size, MPI_Comm comm) {
  int line = 0;
  if (rank > 0)
    MPI_Recv(&line, 1, MPI_INT, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  line += lines;
  printf("rank %d ends at line %d\n", rank, line);
  if (rank < size - 1)
    MPI_Send(&line, 1, MPI_INT, rank + 1, 3, comm);
  return line;
}

static int offset(int count, int rank, int size) {
  int first = 0;
  if (rank > 0)
    MPI_Recv(&first, 1, MPI_INT, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int next = first + count;
  if (rank < size - 1)
    // expect: mpi-send-recv-chain low
    MPI_Send(&next, 1, MPI_INT, rank + 1, 4, MPI_COMM_WORLD);
  return first;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d\n", offset(argc * 100, rank, size));
  MPI_Finalize();
}
