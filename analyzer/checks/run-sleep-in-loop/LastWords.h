// Sleeps before the end of the program, which give the others time to print.
#ifndef STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_LASTWORDS_H
#define STRIDEWISE_CHECKS_RUN_SLEEP_IN_LOOP_LASTWORDS_H

#include "library/MpiCall.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

namespace stridewise {

/// Whether the program ends behind the call, come what may.
inline bool isLast(const llvm::CallBase &Sleep) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> Seen;
  for (const llvm::BasicBlock *BB = Sleep.getParent(); BB && Seen.insert(BB).second; BB = BB->getSingleSuccessor())
    if (isErrorPath(*BB) || llvm::isa<llvm::UnreachableInst>(BB->getTerminator()))
      return true;
  return false;
}

} // namespace stridewise
#endif
