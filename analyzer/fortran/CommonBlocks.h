// Common blocks as the arrays that they hold: flang's code has each block as one piece of memory.
#ifndef STRIDEWISE_FORTRAN_COMMONBLOCKS_H
#define STRIDEWISE_FORTRAN_COMMONBLOCKS_H

#include "unit/Unit.h"

namespace stridewise {

/// Gives each member of a common block a variable of its own, `block_+offset`, where all procedures of the file declare
/// the block alike and none joins names by `equivalence`. To be done before anything folds offsets of members and
/// elements into one.
void splitCommonBlocks(llvm::Module &M, Unit &U);

} // namespace stridewise
#endif
