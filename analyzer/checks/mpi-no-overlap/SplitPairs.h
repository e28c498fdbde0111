// Exchanges in two functions, one that starts the messages and one that waits for them, of which the second is called
// right behind the first.
#ifndef STRIDEWISE_CHECKS_MPI_NO_OVERLAP_SPLITPAIRS_H
#define STRIDEWISE_CHECKS_MPI_NO_OVERLAP_SPLITPAIRS_H

#include "mpi/SourceCalls.h"
#include "unit/Summary.h"

namespace stridewise {

/// What the whole program has to know of a unit: "phases", which of its functions start messages, wait or communicate
/// otherwise, and what they call; "pairs", calls of two functions of one object, with nothing in between and work
/// behind; null when there are none.
llvm::json::Value pairFacts(Unit &U, SourceCalls &Sources);

/// The pairs that are an exchange, one after the other, by their "pairs" and "phases".
std::vector<LinkFinding> linkPairs(llvm::ArrayRef<const stored::Object *> Facts);

} // namespace stridewise
#endif
