// A nest beside which the program has the same work in tiles: what it does where it was told not to, or where a
// dimension is shorter than a tile.
#ifndef STRIDEWISE_LOOPS_TILEDALTERNATIVE_H
#define STRIDEWISE_LOOPS_TILEDALTERNATIVE_H

#include "loops/Strides.h"
#include "unit/Unit.h"

namespace stridewise {

/// Whether a condition chooses between the loop (of the nest the outermost one that works on these arrays) and loops
/// over tiles that work on all of them, too. `Roots` are the arrays as rootOf() tells them.
bool hasTiledAlternative(const llvm::Loop *Plain, llvm::ArrayRef<const llvm::SCEV *> Roots, llvm::Function &F, Unit &U);

} // namespace stridewise
#endif
