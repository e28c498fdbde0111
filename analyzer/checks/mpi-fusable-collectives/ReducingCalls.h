// Calls in a row of functions that each end in a small reduction: dot products, norms, energies. Their local parts can
// be computed first and reduced together.
#ifndef STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_REDUCINGCALLS_H
#define STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_REDUCINGCALLS_H

#include "mpi/MpiFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// What the whole program has to know of a unit: "reducers", functions that give what one reduction of few bytes brings
/// and leave nothing else behind, with what tells such reductions apart; "rows" of calls of functions of other units of
/// which none needs the result of the ones before; null when there are none.
llvm::json::Value reducingFacts(Unit &U, SourceCalls &Sources, double MaxBytes);

/// Rows of calls whose functions reduce alike. `Phases`: what callPhases() knows of the units.
std::vector<LinkFinding> linkReducingCalls(llvm::ArrayRef<const stored::Object *> Facts,
                                           llvm::ArrayRef<const stored::Object *> Phases);

} // namespace stridewise
#endif
