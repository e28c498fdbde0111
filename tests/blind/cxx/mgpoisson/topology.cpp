#include <unistd.h>
#include <algorithm>
#include "mg.hpp"

namespace mg {
namespace topo {

int rank = 0, size = 1, lower = MPI_PROC_NULL, upper = MPI_PROC_NULL;

void setup() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0) lower = rank - 1;
  if (rank + 1 < size) upper = rank + 1;
}

// whole planes i=const are contiguous
void exchange(Field& f) {
  const int n = f.n(0), len = static_cast<int>(f.planeSize());
  MPI_Sendrecv(f.line(n, 0), len, MPI_DOUBLE, upper, 1, f.line(0, 0), len, MPI_DOUBLE, lower, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(f.line(1, 0), len, MPI_DOUBLE, lower, 2, f.line(n + 1, 0), len, MPI_DOUBLE, upper, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// without the ghost rows
void exchangeRows(Field& f) {
  const int n = f.n(0), nk = f.n(2);
  for (int j = 1; j <= f.n(1); ++j) {
    if (upper != MPI_PROC_NULL) MPI_Send(f.line(n, j) + 1, nk, MPI_DOUBLE, upper, j, MPI_COMM_WORLD);
    if (lower != MPI_PROC_NULL)
      MPI_Recv(f.line(0, j) + 1, nk, MPI_DOUBLE, lower, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int j = 1; j <= f.n(1); ++j) {
    if (lower != MPI_PROC_NULL) MPI_Send(f.line(1, j) + 1, nk, MPI_DOUBLE, lower, j, MPI_COMM_WORLD);
    if (upper != MPI_PROC_NULL)
      MPI_Recv(f.line(n + 1, j) + 1, nk, MPI_DOUBLE, upper, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void start(Field& f, MPI_Request* rq) {
  const int n = f.n(0), len = static_cast<int>(f.planeSize());
  MPI_Irecv(f.line(0, 0), len, MPI_DOUBLE, lower, 1, MPI_COMM_WORLD, rq);
  MPI_Irecv(f.line(n + 1, 0), len, MPI_DOUBLE, upper, 2, MPI_COMM_WORLD, rq + 1);
  MPI_Isend(f.line(n, 0), len, MPI_DOUBLE, upper, 1, MPI_COMM_WORLD, rq + 2);
  MPI_Isend(f.line(1, 0), len, MPI_DOUBLE, lower, 2, MPI_COMM_WORLD, rq + 3);
}

void finish(MPI_Request* rq) { MPI_Waitall(4, rq, MPI_STATUSES_IGNORE); }

double sum(double x) {
  double y = 0.0;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y;
}

double max(double x) {
  double y = 0.0;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return y;
}

// right-hand side of the bottom level to rank 0
void collectCoarse(const std::vector<double>& mine, std::vector<double>& all) {
  const int n = static_cast<int>(mine.size());
  if (rank != 0) {
    MPI_Send(mine.data(), n, MPI_DOUBLE, 0, 60, MPI_COMM_WORLD);
    return;
  }
  all.resize(std::size_t(n) * size);
  std::copy(mine.begin(), mine.end(), all.begin());
  for (int p = 1; p < size; ++p)
    MPI_Recv(&all[std::size_t(p) * n], n, MPI_DOUBLE, p, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void shareCoarse(std::vector<double>& all) {
  MPI_Request rq;
  int done = 0;
  MPI_Ibcast(all.data(), static_cast<int>(all.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD, &rq);
  for (;;) {
    MPI_Test(&rq, &done, MPI_STATUS_IGNORE);
    if (done) break;
    usleep(200);
  }
}

}  // namespace topo
}  // namespace mg
