// Whether a function does the same when it is run a second time: where the data that it leaves behind come from.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWMOVES_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_FLOWMOVES_H

#include "checks/mpi-duplicate-exchange/FlowPaths.h"

namespace stridewise {

/// "reads" ([place, kind]), "arrays" (what it fills), "moves" ([from, to, bits]), "tags" (parameters that are no more
/// than those of messages) and "messages" (bits). Null for a function that does what no second run repeats by itself:
/// output, random numbers, whatever other ranks or a ring of messages give, and what is too long to say.
///
/// Bits of a move: 1, the value is computed; 2, a message takes it to other ranks. Bits of messages: 1, sends; 2,
/// receives; 4, collective calls; 8, sends or receives alone.
llvm::json::Value flowMoves(llvm::Function &F, FlowPaths &Paths, Unit &U);

} // namespace stridewise
#endif
