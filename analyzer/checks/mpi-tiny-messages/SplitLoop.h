// Whether a loop can be cut at a collective call: all that the calls pass on is computed first, one call passes all of
// it, and what they brought is used behind it.
#ifndef STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_SPLITLOOP_H
#define STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_SPLITLOOP_H

#include "mpi/MpiFacts.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace stridewise {

/// `Payload` is the address of what each call of `S`, in every iteration of L, passes on. False where something that a
/// call brought may bear on a later payload or on how long the loop runs, or where the loop calls what nothing is known
/// of. Memory that two pointers of different names lead to is taken for different.
bool splitsAt(MpiFunction &M, const MpiSite &S, llvm::Value *Payload, const llvm::Loop *L,
              const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
