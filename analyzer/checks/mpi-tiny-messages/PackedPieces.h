// Messages of a few fields that are packed one after the other, each into a message of its own.
#ifndef STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_PACKEDPIECES_H
#define STRIDEWISE_CHECKS_MPI_TINY_MESSAGES_PACKEDPIECES_H

#include "mpi/MpiFacts.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace stridewise {

/// Whether each of the few iterations of L packs its own field into a buffer, sends that to the same rank, and puts
/// what has come in return to a place of its own: one buffer for all fields is packed at no further cost.
bool sendsPackedPieces(MpiFunction &M, const MpiSite &S, const llvm::Loop *L, const llvm::TargetLibraryInfo &TLI);

} // namespace stridewise
#endif
