// Inner loops whose length is another one in each iteration of the loop around them.
#ifndef STRIDEWISE_LOOPS_UNEVENLOOPS_H
#define STRIDEWISE_LOOPS_UNEVENLOOPS_H

#include "loops/LoopNest.h"

namespace stridewise {

/// Whether the innermost loop ends at a number of a table, from one and the same beginning: as the outer one it goes to
/// the largest of them, and asks in each iteration whether it has come to the end of that row. `Count` are its
/// backedges.
bool endsAtTable(const LoopNest &N, const llvm::SCEV *Count, StrideEngine &Engine);

enum class FinishedRows {
  None,
  Forwards,
  Backwards // sums are added up the other way round when the loops are exchanged
};

/// Elimination and substitution: loop E in A reads rows before that of A's iteration, which that finishes. With the
/// loops exchanged, each row has got all its terms when it is read for the first time.
FinishedRows readsFinishedRows(const Reference &Read, const Reference &Write, const llvm::Loop *E, const llvm::Loop *A,
                               StrideEngine &Engine);

} // namespace stridewise
#endif
