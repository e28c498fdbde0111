#include <cstddef>
#include <mpi.h>
#include <vector>

class Channel {
public:
  Channel(int peer, MPI_Comm comm) : Peer(peer), Comm(comm) {}
  void send(const std::vector<long> &values) const {
    for (std::size_t n = 0; n < values.size(); ++n)
      // expect: mpi-tiny-messages high "to the same rank" "message"
      MPI_Send(&values[n], 1, MPI_LONG, Peer, 11, Comm);
  }

private:
  int Peer;
  MPI_Comm Comm;
};

void publish(const Channel &channel, const std::vector<long> &values) { channel.send(values); }
