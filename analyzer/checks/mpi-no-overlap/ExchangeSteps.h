// Exchanges of a procedure of Fortran that waits at once, and the stencils that the program runs behind them in the
// same step, in other procedures and units.
#ifndef STRIDEWISE_CHECKS_MPI_NO_OVERLAP_EXCHANGESTEPS_H
#define STRIDEWISE_CHECKS_MPI_NO_OVERLAP_EXCHANGESTEPS_H

#include "checks/mpi-no-overlap/OverlapFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// What the whole program has to know of a unit: "calls" as CallHeat has them, "order" of the calls, procedures that
/// communicate ("talks"), "stencils" by procedure, and `Exchanges`, each of which exchangeOf() has made.
llvm::json::Value stepFacts(Unit &U, llvm::json::Array Exchanges, double MinIterations);

/// An exchange as the finding that it may become. `Waits`: of one procedure, in the order of the program.
llvm::json::Value exchangeOf(llvm::ArrayRef<OverlapChance> Waits, MpiFunction &M, SourceCalls &Sources, Unit &U);

/// The exchanges behind which the same step of the program runs a stencil.
std::vector<LinkFinding> linkSteps(llvm::ArrayRef<const stored::Object *> Summaries);

} // namespace stridewise
#endif
