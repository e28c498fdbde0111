// Waits for messages that were just started, and the work behind them that other functions do: the function that is
// called next, or the caller of the one that waits.
#ifndef STRIDEWISE_CHECKS_MPI_NO_OVERLAP_HELPERWORK_H
#define STRIDEWISE_CHECKS_MPI_NO_OVERLAP_HELPERWORK_H

#include "checks/mpi-no-overlap/OverlapFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// What the whole program has to know of a unit of C or C++: "waits" with the function that is called next, "helpers",
/// functions that end with such a wait, "behind", calls with a stencil behind them or another call, and "stencils" by
/// function; null when there are none. `Bare`: by function, from findBareWaits().
llvm::json::Value helperFacts(llvm::ArrayRef<std::pair<MpiFunction *, OverlapChance>> Bare, SourceCalls &Sources,
                              Unit &U, double MinIterations);

/// The waits with work behind them, by these facts and those of callPhases(), at most one for each place.
std::vector<LinkFinding> linkHelpers(llvm::ArrayRef<const stored::Object *> Facts,
                                     llvm::ArrayRef<const stored::Object *> Phases);

} // namespace stridewise
#endif
