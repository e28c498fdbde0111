// Loops that look for an iteration which ends all of them: whether some element is out of its bounds.
#ifndef STRIDEWISE_LOOPS_SEARCHLOOPS_H
#define STRIDEWISE_LOOPS_SEARCHLOOPS_H

#include "loops/LoopNest.h"

namespace stridewise {

/// Whether that is all that the nest's loops up to this level do: they write nothing, and whichever iteration it is,
/// the program goes on from there in the same way.
bool onlySearches(const LoopNest &N, unsigned Level, StrideEngine &Engine);

/// How often the loop goes back where no iteration ends it, by its one exit that can be counted; null for all else.
const llvm::SCEV *countedEnd(const llvm::Loop &L, StrideEngine &Engine);

} // namespace stridewise
#endif
