#include "par.h"

Parallel::Parallel(int* argc, char*** argv) {
  int prov;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &prov);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  nb_[0] = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
  nb_[1] = rank_ < size_ - 1 ? rank_ + 1 : MPI_PROC_NULL;
}

Parallel::~Parallel() { MPI_Finalize(); }

double Parallel::sum(double x) const {
  double y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y;
}

double Parallel::min(double x) const {
  double y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return y;
}

void Parallel::sum(double* x, int n) const {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void Parallel::wait() const { MPI_Barrier(MPI_COMM_WORLD); }

void Parallel::exchange(const Mesh& m, State& u) const {
  for (int s = 0; s < 2; ++s) {
    const std::vector<int>& sl = m.sendList(s);
    const std::vector<int>& rl = m.recvList(1 - s);
    const int n = (int)sl.size(), nr = (int)rl.size();
    std::vector<double> sb(n), rb(nr);
    for (int v = 0; v < NVAR; ++v) {
      for (int i = 0; i < n; ++i) sb[i] = u(sl[i], v);
      MPI_Sendrecv(n ? &sb[0] : 0, n, MPI_DOUBLE, nb_[s], 10 + v,
                   nr ? &rb[0] : 0, nr, MPI_DOUBLE, nb_[1 - s], 10 + v, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < nr; ++i) u(rl[i], v) = rb[i];
    }
  }
}

void Parallel::exchangeScalar(const Mesh& m, std::vector<double>& s) const {
  for (int d = 0; d < 2; ++d) {
    const std::vector<int>& sl = m.sendList(d);
    const std::vector<int>& rl = m.recvList(1 - d);
    if (nb_[d] != MPI_PROC_NULL)
      for (size_t i = 0; i < sl.size(); ++i)
        MPI_Send(&s[sl[i]], 1, MPI_DOUBLE, nb_[d], 30, MPI_COMM_WORLD);
    if (nb_[1 - d] != MPI_PROC_NULL)
      for (size_t i = 0; i < rl.size(); ++i)
        MPI_Recv(&s[rl[i]], 1, MPI_DOUBLE, nb_[1 - d], 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void Parallel::startExchange(const Mesh& m, State& u) {
  for (int s = 0; s < 2; ++s) {
    const std::vector<int>& sl = m.sendList(s);
    sb_[s].resize(sl.size() * NVAR + 1);
    rb_[s].resize(m.recvList(s).size() * NVAR + 1);
    for (size_t i = 0; i < sl.size(); ++i)
      for (int v = 0; v < NVAR; ++v) sb_[s][i * NVAR + v] = u(sl[i], v);
    MPI_Irecv(&rb_[s][0], (int)rb_[s].size() - 1, MPI_DOUBLE, nb_[s], 50, MPI_COMM_WORLD, &rq_[s]);
  }
  for (int s = 0; s < 2; ++s)
    MPI_Isend(&sb_[s][0], (int)sb_[s].size() - 1, MPI_DOUBLE, nb_[s], 50, MPI_COMM_WORLD, &rq_[2 + s]);
}

void Parallel::finishExchange(const Mesh& m, State& u) {
  MPI_Waitall(4, rq_, MPI_STATUSES_IGNORE);
  for (int s = 0; s < 2; ++s) {
    const std::vector<int>& rl = m.recvList(s);
    if (nb_[s] == MPI_PROC_NULL) continue;
    for (size_t i = 0; i < rl.size(); ++i)
      for (int v = 0; v < NVAR; ++v) u(rl[i], v) = rb_[s][i * NVAR + v];
  }
}

void Parallel::gatherForces(const double* f, int n, std::vector<double>& all) const {
  all.resize(n * size_);
  if (rank_ == 0) {
    for (int i = 0; i < n; ++i) all[i] = f[i];
    for (int p = 1; p < size_; ++p)
      MPI_Recv(&all[p * n], n, MPI_DOUBLE, p, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else
    MPI_Send(const_cast<double*>(f), n, MPI_DOUBLE, 0, 60, MPI_COMM_WORLD);
}

void Parallel::spreadInlet(std::vector<double>& t) const {
  MPI_Bcast(&t[0], (int)t.size(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

// running number of probes along the line of ranks
void Parallel::passCount(int& n) const {
  int before = 0;
  if (rank_ > 0) MPI_Recv(&before, 1, MPI_INT, rank_ - 1, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  n += before;
  if (rank_ < size_ - 1) MPI_Send(&n, 1, MPI_INT, rank_ + 1, 70, MPI_COMM_WORLD);
}
