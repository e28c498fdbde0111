// What the search for messages that are sent twice and the one for messages that are waited for too early begin with:
// the analyses of a function with MPI calls, and what its instructions do beside messages.
#ifndef STRIDEWISE_MPI_MESSAGEFINDER_H
#define STRIDEWISE_MPI_MESSAGEFINDER_H

#include "mpi/MemoryRange.h"
#include "mpi/MpiEffects.h"

namespace stridewise {

class MessageFinder {
protected:
  MessageFinder(MpiFunction &M, Unit &U, MpiEffects &Effects);

  /// Arithmetic of floating-point numbers, or a stored integer that is computed from a loaded one.
  static bool computes(const llvm::Instruction &I);
  static bool computes(const llvm::Loop *L);
  /// A call that may write anything; those that only do what `Harmless` (effects) says are none.
  bool isOpaque(const llvm::Instruction &I, unsigned Harmless);

  MpiFunction &M;
  StrideEngine &E;
  llvm::LoopInfo &LI;
  MpiEffects &Effects;
  const llvm::TargetLibraryInfo &TLI;
  MemoryRanges Ranges;
  llvm::DenseMap<const llvm::Instruction *, const MpiSite *> SiteOf;
};

} // namespace stridewise
#endif
