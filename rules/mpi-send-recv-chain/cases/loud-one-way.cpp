// What is sent was there before the receive, and the ranks meet in each round: by what comes back, by a collective
// call, or because the last one closes the ring.
#include <mpi.h>
#include <vector>

class Strip {
public:
  Strip(MPI_Comm comm, int n);
  void pass();
  void sum();
  double round(int rounds);

private:
  MPI_Comm comm_;
  int rank_, size_, n_;
  std::vector<double> cells_, ghost_, edge_;
};

Strip::Strip(MPI_Comm comm, int n) : comm_(comm), n_(n), cells_(n + 2), ghost_(64), edge_(64) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
}

// One way, and no loop around it that would let rounds overlap.
void Strip::pass() {
  for (int k = 0; k < 64; ++k)
    edge_[k] = cells_[n_ - k];
  if (rank_ > 0)
    MPI_Recv(ghost_.data(), 64, MPI_DOUBLE, rank_ - 1, 7, comm_, MPI_STATUS_IGNORE);
  if (rank_ < size_ - 1)
    // expect: mpi-send-recv-chain medium "receives from 'rank_ - 1' before it sends to 'rank_ + 1'"
    MPI_Send(edge_.data(), 64, MPI_DOUBLE, rank_ + 1, 7, comm_);
}

// What is sent is the sum of what came and of one's own: a sweep.
void Strip::sum() {
  double in = 0;
  if (rank_ > 0)
    MPI_Recv(&in, 1, MPI_DOUBLE, rank_ - 1, 8, comm_, MPI_STATUS_IGNORE);
  cells_[0] = in;
  for (int i = 1; i <= n_; ++i)
    cells_[i] += cells_[i - 1];
  double out = cells_[n_];
  if (rank_ < size_ - 1)
    MPI_Send(&out, 1, MPI_DOUBLE, rank_ + 1, 8, comm_);
}

// The rounds do not overlap, since all ranks meet in each.
double Strip::round(int rounds) {
  double all = 0;
  for (int k = 0; k < rounds; ++k) {
    if (rank_ > 0)
      MPI_Recv(ghost_.data(), 64, MPI_DOUBLE, rank_ - 1, 9, comm_, MPI_STATUS_IGNORE);
    if (rank_ < size_ - 1)
      // expect: mpi-send-recv-chain medium "each waits for its turn"
      MPI_Send(edge_.data(), 64, MPI_DOUBLE, rank_ + 1, 9, comm_);
    double mine = ghost_[0] * k;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_);
    edge_[k % 64] = all;
  }
  return all;
}

// The first rank sends first, and the last one closes the ring.
void ring(double *u, double *from, int n, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      MPI_Send(u, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
      MPI_Recv(from, n, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(from, n, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      // expect: mpi-send-recv-chain medium "receives from 'before' before it sends to 'next'"
      MPI_Send(u, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    }
    for (int i = 0; i < n; ++i)
      u[i] = 0.5 * (u[i] + from[i]);
  }
}

// A token that each rank adds to has to go round.
double token(double mine, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double t = 0;
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      t += mine;
      MPI_Send(&t, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
      MPI_Recv(&t, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&t, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      t = t < mine ? mine : t;
      MPI_Send(&t, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    }
  }
  return t;
}
