#ifndef AMR_COMM_HPP
#define AMR_COMM_HPP
#include <mpi.h>
#include <vector>

namespace amr {

template <class T> struct MpiType;
template <> struct MpiType<double> { static MPI_Datatype get() { return MPI_DOUBLE; } };
template <> struct MpiType<int> { static MPI_Datatype get() { return MPI_INT; } };
template <> struct MpiType<long> { static MPI_Datatype get() { return MPI_LONG; } };

class Communicator {
public:
  explicit Communicator(MPI_Comm c);
  int rank() const { return rank_; }
  int size() const { return size_; }

  template <class T> void send(const T& x, int to, int tag) const {
    MPI_Send(const_cast<T*>(&x), 1, MpiType<T>::get(), to, tag, comm_);
  }
  template <class T> void recv(T& x, int from, int tag) const {
    MPI_Recv(&x, 1, MpiType<T>::get(), from, tag, comm_, MPI_STATUS_IGNORE);
  }
  template <class T> void send(const std::vector<T>& v, int to, int tag) const {
    const int n = (int)v.size();
    send(n, to, tag);
    MPI_Send(const_cast<T*>(v.data()), n, MpiType<T>::get(), to, tag, comm_);
  }
  template <class T> void recv(std::vector<T>& v, int from, int tag) const {
    int n;
    recv(n, from, tag);
    v.resize(n);
    MPI_Recv(v.data(), n, MpiType<T>::get(), from, tag, comm_, MPI_STATUS_IGNORE);
  }
  template <class T> void shift(const T* s, T* r, int n, int to, int from, int tag) const {
    MPI_Sendrecv(const_cast<T*>(s), n, MpiType<T>::get(), to, tag, r, n, MpiType<T>::get(), from, tag, comm_,
                 MPI_STATUS_IGNORE);
  }
  template <class T> T sum(T x) const {
    T y;
    MPI_Barrier(comm_);
    MPI_Allreduce(&x, &y, 1, MpiType<T>::get(), MPI_SUM, comm_);
    return y;
  }
  template <class T> T max(T x) const {
    T y;
    MPI_Allreduce(&x, &y, 1, MpiType<T>::get(), MPI_MAX, comm_);
    return y;
  }
  template <class T> void sum(T* x, int n) const {
    MPI_Allreduce(MPI_IN_PLACE, x, n, MpiType<T>::get(), MPI_SUM, comm_);
  }
  void isend(const double* p, int n, int to, int tag);
  void irecv(double* p, int n, int from, int tag);
  void waitAll();
  void barrier() const;
  std::vector<int> allCounts(int mine) const;
  void broadcast(std::vector<double>& v) const;
  void accumulateUp(double* x, int n) const;
private:
  MPI_Comm comm_;
  int rank_, size_;
  std::vector<MPI_Request> rq_;
};

} // namespace amr
#endif
