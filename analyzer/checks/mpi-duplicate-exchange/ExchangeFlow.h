// Which exchanges are still valid where: what each function of the unit exchanges, writes and calls, in the order of
// its blocks, so that the link phase can follow the calls between units.
#ifndef STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGEFLOW_H
#define STRIDEWISE_CHECKS_MPI_DUPLICATE_EXCHANGE_EXCHANGEFLOW_H

#include "mpi/MpiFacts.h"
#include "unit/Summary.h"

namespace stridewise {

/// For each function by its name among all units: "events", of each block in order, "next", the blocks behind each,
/// and, of a function that fills ghost cells and does nothing else that others see, "fills". Null for units without
/// MPI.
///
/// A place in memory is [root, steps]: the root is a parameter ("a0"), a variable ("@u"), memory of the function's own
/// ("L3"), what a call returned ("R3") or unknown ("*"); each step but the last loads a pointer from an offset, the
/// last is where the place is. An offset is [bytes, name of the member's type], with null bytes where it varies.
llvm::json::Value exchangeFlow(Unit &U, SourceCalls &Sources);

} // namespace stridewise
#endif
