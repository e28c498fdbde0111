// Messages that a loop sends to, or receives from, one rank after another.
#ifndef STRIDEWISE_MPI_RANKLOOPS_H
#define STRIDEWISE_MPI_RANKLOOPS_H

#include "mpi/MpiEffects.h"
#include "mpi/RankFacts.h"

namespace stridewise {

struct RankLoop {
  enum Shape {
    EachRank,  // the peer moves from rank to rank
    Ring,      // as many messages to the next rank as there are ranks
    Doubling,  // to ranks at distances 1, 2, 4, …
    Rounds,    // with another partner in each iteration, to whom goes what came from those before
    AnySource, // one message from each rank, in the order in which they come
    EachRoot   // a collective call of which each rank is the root in turn
  };
  Shape S = EachRank;
  const MpiSite *Site = nullptr;
  const llvm::Loop *L = nullptr; // its counter is the peer, or the step
  bool Sends = false, Receives = false;
  bool AllRanks = false;                // proven to run to the communicator's size
  bool OneRank = false;                 // the loop runs on one rank only
  const llvm::Value *Root = nullptr;    // that rank, if it is known
  const MpiSite *Counterpart = nullptr; // the single receive or send of the other ranks
  bool SameBuffer = false;              // one address in all iterations
  bool Packed = false;                  // which is filled anew in each
  bool VariableBlocks = false;          // counts or places come from tables
  bool Accumulates = false;             // what was received is added up, or combined otherwise
  bool Merges = false;                  // not by a sum: a maximum, a minimum, bits
  bool Output = false;                  // the loop prints or writes
  bool WritesBlocks = false;            // what it writes is binary
  bool NextRank = false;                // of a ring: the peer is proven to be the neighbour
  bool BothWays = false;                // the loop also answers, or is answered
  bool Probes = false;                  // asks of each message how long it is
  bool InTurn = false;                  // lower ranks are served in one order, higher ones in the other
  bool LeavesOutFirst = false;          // begins behind rank 0: what every rank does with every other does not
};

/// In program order. Loops that skip peers by data, take turns, serve whoever comes, or run over few constant ranks are
/// left out.
std::vector<RankLoop> findRankLoops(MpiFunction &M, const RankFacts &Ranks, MpiEffects &Effects);

/// True when the loop may be part of a service that answers whoever comes: what hands out work may have any call of the
/// function receive the answers; what collects from rank after rank is its own affair, unless its own source function
/// also receives from or probes any source.
bool servesAnySource(MpiFunction &M, const RankLoop &X);
/// True when a bound of the loop is the size of a communicator, or computed from it.
bool runsOverRanks(const llvm::Loop *L, const RankFacts &Ranks);

} // namespace stridewise
#endif
