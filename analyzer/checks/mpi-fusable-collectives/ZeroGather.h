// A gather made of a reduction: every rank sets the array to zero, fills in its own part, and all add the arrays up.
#ifndef STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_ZEROGATHER_H
#define STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_ZEROGATHER_H

#include "mpi/MpiFacts.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"

namespace stridewise {

struct ZeroGather {
  const llvm::Instruction *Zeros; // what sets the array to zero
  const llvm::Instruction *Part;  // what fills in the rank's own part
};

/// What a sum over all ranks gathers, where everything that the array holds when it is summed is zero, but for what is
/// written at an address that depends on the rank.
std::optional<ZeroGather> zeroGather(MpiFunction &M, const MpiSite &Sum, llvm::AAResults &AA,
                                     const llvm::DominatorTree &DT, const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
