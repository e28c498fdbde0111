// The other way round than FortranLoops.h: what a loop of a Fortran file is in the unit's code.
#ifndef STRIDEWISE_LOOPS_LOOPINDEX_H
#define STRIDEWISE_LOOPS_LOOPINDEX_H

#include "fortran/FortranLoops.h"
#include "loops/LoopCopies.h"

namespace stridewise {

/// The copies of the loop that the statement (a DO loop, an assignment of array sections) makes, of several nested ones
/// the outermost. Empty where the code has none: it was deleted, or another branch of the preprocessor has it.
llvm::ArrayRef<LoopCopy> fortranLoops(const FortranStatement &S, Unit &U);

} // namespace stridewise
#endif
