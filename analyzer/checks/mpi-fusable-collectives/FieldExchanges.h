// Arrays that one function exchanges with the neighbours, one after the other.
#ifndef STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_FIELDEXCHANGES_H
#define STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_FIELDEXCHANGES_H

#include "mpi/SourceCalls.h"
#include "unit/Summary.h"

namespace stridewise {

/// What the whole program has to know of a unit: "phases" (mpi/CallPairs.h), and "rows" of calls of one function in a
/// loop, with nothing in between and one array that differs; null when there are none.
llvm::json::Value fieldExchangeFacts(Unit &U, SourceCalls &Sources);

/// The rows of which the function exchanges messages with its neighbours.
std::vector<LinkFinding> linkFieldExchanges(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
