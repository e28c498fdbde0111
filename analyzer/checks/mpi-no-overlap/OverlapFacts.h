// Exchanges that are started and waited for at once, and the work behind the wait that could run in between.
#ifndef STRIDEWISE_CHECKS_MPI_NO_OVERLAP_OVERLAPFACTS_H
#define STRIDEWISE_CHECKS_MPI_NO_OVERLAP_OVERLAPFACTS_H

#include "mpi/MemoryRange.h"
#include "mpi/MpiEffects.h"

namespace stridewise {

struct OverlapChance {
  enum Kind {
    Independent, // the work touches nothing that the messages carry
    Interior,    // all but the border iterations of the work's outer loop do
    Border       // the work needs the messages, for all that is proven
  } K = Border;
  const MpiSite *Wait = nullptr;
  llvm::SmallVector<const MpiSite *, 4> Starts;
  const llvm::Loop *Work = nullptr;
  unsigned Depth = 1;             // of the work's nest
  double Iterations = 0;          // of its innermost body; infinite when unknown
  Meeting Rests = Meeting::Never; // what the independence takes for granted
  bool Stencil = false;           // what needs the messages reads around each place, so that its border alone does
  bool Repeats = false;           // a loop of the function runs exchange and work again and again
};

/// At most one chance per group of waits, the best, in program order. `MinIterations`: work of fewer is none.
std::vector<OverlapChance> findOverlapChances(MpiFunction &M, Unit &U, MpiEffects &Effects, double MinIterations);

/// The waits of a function for messages that it has just started, whatever follows: between the last start and the wait
/// nothing costs, and no loop around both repeats them, but `InLoops`. In program order, without what is unknown of
/// OverlapChance.
std::vector<OverlapChance> findBareWaits(MpiFunction &M, Unit &U, MpiEffects &Effects, bool InLoops = false);

} // namespace stridewise
#endif
