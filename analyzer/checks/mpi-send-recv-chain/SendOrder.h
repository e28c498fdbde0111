// Pairs of a blocking send and a receive that all ranks run in this order, although the neighbour's send needs the
// receive first.
#ifndef STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_SENDORDER_H
#define STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_SENDORDER_H

#include "mpi/MpiFacts.h"

namespace stridewise {

struct SendFirst {
  const MpiSite *Send = nullptr, *Receive = nullptr;
  PeerRelation Relation = PeerRelation::Unrelated;
  bool Proven = false;  // opposite neighbours, equal tags, and no condition of unknown meaning on the way
  bool Guessed = false; // a table of unknown length is taken to be one of neighbours
};

/// At most one pair per send, in program order. Sends match receives of the mirrored peer first to first; what was
/// received or posted before a send, and what some ranks do the other way round, gives no pair.
std::vector<SendFirst> findSendFirst(MpiFunction &M);

} // namespace stridewise
#endif
