// Partners found by exclusive or: each with each, and at growing distances.
#include <mpi.h>
#include <vector>

class Group {
public:
  explicit Group(MPI_Comm comm) : comm(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }

  void swapBlocks(const std::vector<double> &from, std::vector<double> &to, int n) const {
    for (int step = 1; step < size; ++step) {
      const int partner = rank ^ step;
      // expect: mpi-handmade-collective high "sends from every rank to every other" "'step' over the ranks"
      MPI_Sendrecv(&from[partner * n], n, MPI_DOUBLE, partner, 0, &to[partner * n], n, MPI_DOUBLE, partner, 0, comm,
                   MPI_STATUS_IGNORE);
    }
  }

  double total(double value) const {
    for (int distance = 1; distance < size; distance *= 2) {
      const int partner = rank ^ distance;
      double other = 0;
      if (partner < size)
        // expect: mpi-handmade-collective high
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, partner, 1, &other, 1, MPI_DOUBLE, partner, 1, comm, MPI_STATUS_IGNORE);
      value += other;
    }
    return value;
  }

private:
  MPI_Comm comm;
  int rank, size;
};

void redistribute(const std::vector<double> &from, std::vector<double> &to, int n, double *sum) {
  const Group group(MPI_COMM_WORLD);
  group.swapBlocks(from, to, n);
  *sum = group.total(*sum);
}
