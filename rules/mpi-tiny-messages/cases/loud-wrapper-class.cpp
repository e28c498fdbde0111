// All of MPI is behind a class: the places that use it are what can be changed.
#include <mpi.h>
#include <stdexcept>
#include <vector>

class Channel {
public:
  Channel(MPI_Comm comm, int peer) : comm(comm), peer(peer) {}
  template <class T> void send(const T &value, MPI_Datatype type, int tag) const {
    check(MPI_Send(&value, 1, type, peer, tag, comm));
  }
  template <class T> void receive(T &value, MPI_Datatype type, int tag) const {
    check(MPI_Recv(&value, 1, type, peer, tag, comm, MPI_STATUS_IGNORE));
  }

private:
  static void check(int code) {
    if (code != MPI_SUCCESS)
      throw std::runtime_error("message failed");
  }
  MPI_Comm comm;
  int peer;
};

struct Particle {
  double x, v;
};

void send_leavers(const Channel &to, const std::vector<Particle> &leavers) {
  int count = static_cast<int>(leavers.size());
  to.send(count, MPI_INT, 1);
  for (const Particle &p : leavers) {
    // expect: mpi-tiny-messages high "to the same rank" "message"
    to.send(p.x, MPI_DOUBLE, 2);
    // expect: mpi-tiny-messages high "to the same rank" "message"
    to.send(p.v, MPI_DOUBLE, 2);
  }
}

void receive_arrivals(const Channel &from, std::vector<Particle> &here) {
  int count = 0;
  from.receive(count, MPI_INT, 1);
  std::vector<Particle> arrivals(static_cast<std::size_t>(count));
  for (Particle &p : arrivals) {
    from.receive(p.x, MPI_DOUBLE, 2);
    from.receive(p.v, MPI_DOUBLE, 2);
  }
  here.insert(here.end(), arrivals.begin(), arrivals.end());
}
