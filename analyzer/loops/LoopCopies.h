// One loop of the source may have several copies in the canonical IR: in its own function, and wherever that was
// inlined.
#ifndef STRIDEWISE_LOOPS_LOOPCOPIES_H
#define STRIDEWISE_LOOPS_LOOPCOPIES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace stridewise {

/// Whether the loop came into its function with the body of another one.
inline bool isInlinedCopy(const llvm::Loop &L) {
  const llvm::DebugLoc D = L.getStartLoc();
  return D && D->getInlinedAt();
}

} // namespace stridewise
#endif
