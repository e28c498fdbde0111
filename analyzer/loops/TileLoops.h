// Loops that go from block to block, as their source shows it: some loop within runs over the block that their counter
// names, and blocks do not overlap.
#ifndef STRIDEWISE_LOOPS_TILELOOPS_H
#define STRIDEWISE_LOOPS_TILELOOPS_H

#include "unit/Unit.h"
#include "clang/AST/Stmt.h"
#include "llvm/Analysis/LoopInfo.h"

namespace stridewise {

/// True for `for (kk = 0; kk < n; kk += block)` around `for (k = kk; k < min(kk + block, n); k++)`, and for loops that
/// number their blocks: `for (t = 0; t < tiles; t++)` around `for (k = t * block; k < (t + 1) * block; k++)`; and for
/// offsets from the beginning of a block: `for (kk = 0; kk < n; kk += block)` around `for (k = 0; k < block; k++)`.
bool isTileLoop(const clang::Stmt *Loop);

/// The same in any language.
bool isTileLoop(const llvm::Loop *L, Unit &U);

} // namespace stridewise
#endif
