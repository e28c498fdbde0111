// Values that a loop keeps in memory, and that come out the same whatever the order of its iterations.
#ifndef STRIDEWISE_LOOPS_MEMORYUPDATES_H
#define STRIDEWISE_LOOPS_MEMORYUPDATES_H

#include "loops/LoopNest.h"

namespace stridewise {

enum class Update {
  None,
  Exact,  // integers, extremes
  Rounded // a sum or product of floating-point numbers
};

/// What all references of these to one address do with it: `x[p] += …`, or `if (v > x[p]) x[p] = v`.
Update updateOf(const llvm::SCEV *Address, llvm::ArrayRef<Reference> References);

} // namespace stridewise
#endif
