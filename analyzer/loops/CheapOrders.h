// Walks in large steps that cost little where they stand.
#ifndef STRIDEWISE_LOOPS_CHEAPORDERS_H
#define STRIDEWISE_LOOPS_CHEAPORDERS_H

#include "loops/LoopNest.h"

namespace stridewise {

/// Whether the groups (indices into N.Groups) that would gain from another innermost loop lose little in the present
/// order: as many streams as there are fields or entries of a sparse row, one block of a blocked algorithm, or columns
/// that change places now and then.
bool costsLittle(const LoopNest &N, unsigned Level, llvm::ArrayRef<unsigned> Groups, StrideEngine &Engine);

} // namespace stridewise
#endif
