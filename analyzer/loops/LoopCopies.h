// One loop of the source may have several copies in the canonical IR: in its own function, and wherever that was
// inlined.
#ifndef STRIDEWISE_LOOPS_LOOPCOPIES_H
#define STRIDEWISE_LOOPS_LOOPCOPIES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <vector>

namespace stridewise {

struct LoopCopy {
  llvm::Function *F;
  const llvm::Loop *L;
};

/// Whether the loop came into its function with the body of another one.
inline bool isInlinedCopy(const llvm::Loop &L) {
  const llvm::DebugLoc D = L.getStartLoc();
  return D && D->getInlinedAt();
}

/// A function of this unit alone whose calls were all inlined runs in no other way than these calls do.
inline void dropUncalled(std::vector<LoopCopy> &Copies) {
  if (llvm::any_of(Copies, [](const LoopCopy &C) { return isInlinedCopy(*C.L); }))
    llvm::erase_if(
        Copies, [](const LoopCopy &C) { return !isInlinedCopy(*C.L) && C.F->hasLocalLinkage() && C.F->use_empty(); });
}

} // namespace stridewise
#endif
