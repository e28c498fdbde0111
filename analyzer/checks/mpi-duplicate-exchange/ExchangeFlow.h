// Which exchanges are still valid where: what each function of the unit exchanges, writes and calls, in the order of
// its blocks, so that the link phase can follow the calls between units.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGEFLOW_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGEFLOW_H

#include "mpi/MpiFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// For each function by its name among all units: "events" of each block in order, "next", the blocks behind each,
/// "keeps", the parameters whose address it stores or returns, "loops" that call functions, "fresh", if it gives memory
/// that nothing else knows, "name" for people, and "moves" (FlowMoves.h). Null for a unit without functions.
///
/// Events: ["w", place, kind] writes; ["h", slot, pointer] of a variable of its own, which holds it; ["c", callee,
/// arguments, places, function, begin, end, texts, result] calls; ["d", value] computes it anew; ["p", place, bool] has
/// begun to receive there, and waits itself; ["W"] waits for what others have begun; ["t"] asks a clock; ["u"] may do
/// anything.
///
/// A place in memory is [root, steps] (FlowPaths.h): each step but the last loads a pointer from an offset, the last is
/// where the place is. An offset is [bytes, name of the member's type, value that it is counted from, modulus, rest],
/// with null bytes where it varies.
llvm::json::Value exchangeFlow(Unit &U, SourceCalls &Sources);

} // namespace stridewise
#endif
