// Pairs of a blocking send and a receive that all ranks run in this order, although the neighbour's send needs the
// receive first; and the other way round, where the send could come first.
#ifndef STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_SENDORDER_H
#define STRIDEWISE_CHECKS_MPI_SEND_RECV_CHAIN_SENDORDER_H

#include "mpi/MpiEffects.h"

namespace stridewise {

struct SendFirst {
  const MpiSite *Send = nullptr, *Receive = nullptr;
  PeerRelation Relation = PeerRelation::Unrelated;
  bool Proven = false;       // opposite neighbours, equal tags, and no condition of unknown meaning on the way
  bool Guessed = false;      // a table of unknown length is taken to be one of neighbours
  bool ReceiveFirst = false; // the ranks take turns: each receives first, and sends what it had before
  enum Content {
    Own,      // what the rank had before
    Combined, // what has arrived, with a part of its own: a scan
    Stepped,  // what is computed from what has arrived alone
    Arrived   // what has arrived, as it is: a broadcast
  } Sends = Own;
};

/// At most one pair per send, in program order. Sends match receives of the mirrored peer first to first; what was
/// received or posted before a send, and what some ranks do the other way round, gives no pair. Beside them, at most
/// one per receive, those in which the receive comes first.
std::vector<SendFirst> findSendFirst(MpiFunction &M, Unit &U, MpiEffects &Effects);

} // namespace stridewise
#endif
