// A barrier hidden beside the sum of a wrapper, in a program that prints and calls what nobody knows.
#include <cstdio>
#include <mpi.h>

void filter(double *field, int n);
extern void (*hook)(double *, int);

class Communicator {
public:
  explicit Communicator(MPI_Comm all) : all(all) { MPI_Comm_rank(all, &rank); }
  template <typename T> T sum(T mine, MPI_Datatype type) const {
    T whole;
    // expect: mpi-redundant-barrier medium "barrier before MPI_Allreduce"
    MPI_Barrier(all);
    MPI_Allreduce(&mine, &whole, 1, type, MPI_SUM, all);
    return whole;
  }
  MPI_Comm all;
  int rank;
};

void run(double *field, int n, int steps) {
  Communicator ranks(MPI_COMM_WORLD);
  for (int step = 0; step < steps; ++step) {
    filter(field, n);
    hook(field, n);
    double mine = 0;
    for (int i = 0; i < n; ++i)
      mine += field[i];
    const double whole = ranks.sum(mine, MPI_DOUBLE);
    if (ranks.rank == 0)
      std::printf("%d %g\n", step, whole);
    field[0] *= whole;
  }
}

// An object that another file makes, and might keep, but nothing is between the two calls.
class Ranks {
public:
  Ranks();
  long count(long mine) const {
    long whole;
    // expect: mpi-redundant-barrier medium "barrier before MPI_Allreduce"
    MPI_Barrier(all);
    MPI_Allreduce(&mine, &whole, 1, MPI_LONG, MPI_SUM, all);
    return whole;
  }
  MPI_Comm all;
  int rank;
};

void balance(Ranks &ranks, double *field, int n);

void order(double **rows, double *field, int n, int steps) {
  Ranks ranks;
  for (int step = 0; step < steps; ++step) {
    balance(ranks, field, n);
    for (int i = 0; i < n; ++i)
      rows[i] = field + (i + step) % n;
    const long whole = ranks.count(rows[0] - field);
    if (ranks.rank == 0)
      std::printf("%d %ld\n", step, whole);
  }
}
