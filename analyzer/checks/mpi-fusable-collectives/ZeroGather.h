// A gather made of a reduction: every rank sets the array to zero, fills in its own part, and all add the arrays up.
#ifndef STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_ZEROGATHER_H
#define STRIDEWISE_CHECKS_MPI_FUSABLE_COLLECTIVES_ZEROGATHER_H

#include "mpi/MpiFacts.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"

namespace stridewise {

/// Whether a sum over all ranks is a gather: everything that the array holds when it is summed is zero, but for what is
/// written at an address that depends on the rank.
bool isZeroGather(MpiFunction &M, const MpiSite &Sum, llvm::AAResults &AA, const llvm::DominatorTree &DT,
                  const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
