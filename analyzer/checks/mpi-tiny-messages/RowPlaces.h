// Where the rows lie that a loop sends one by one, and what it writes into the same array.
#ifndef STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_ROWPLACES_H
#define STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_ROWPLACES_H

#include "mpi/MpiFacts.h"

namespace stridewise {

/// True for numbers of the run with constants, such as `n + 2`, `6 * n` or `last - first + 1`: the length of a row, and
/// not two or three sizes multiplied, which is a plane's.
bool isOneSize(const llvm::SCEV *S);

/// Whether such a number is the distance of two others.
bool isBetween(const llvm::SCEV *Size);

/// Whether what iterations of L write to `Into` may be what one before or behind them sends from `Payload`, as round a
/// ring. Places that move with the loop as the payload does are taken to stay within the iteration's own row, or that
/// of another array's part, unless the two lie a whole number of steps apart.
bool isSentLater(StrideEngine &E, llvm::Value *Into, const llvm::SCEV *Payload, const llvm::Loop *L);

} // namespace stridewise
#endif
