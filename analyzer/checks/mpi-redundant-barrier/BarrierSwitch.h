// Whether a barrier is switched on at need: it stands under a condition that is about nothing else, `if (debug)`.
#ifndef STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERSWITCH_H
#define STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERSWITCH_H

#include "checks/mpi-redundant-barrier/BarrierNeed.h"
#include "llvm/ADT/DenseSet.h"

namespace stridewise {

class BarrierSwitch {
public:
  BarrierSwitch(Unit &U, SourceCalls &Sources) : U(U), Sources(Sources) {}
  /// True under a condition that is neither about ranks nor communicators, and that neither the loop around the
  /// barrier nor the communication beside it shares. `Frames` are those of the barrier.
  bool isOptional(const JudgedBarrier &J, MpiFunction &M, llvm::ArrayRef<SourceFrame> Frames);

private:
  /// The same by the conditions of the code, where there is no tree: Fortran.
  static bool isOptionalCode(const JudgedBarrier &J, MpiFunction &M);
  bool isAboutRanks(const clang::Expr *Condition);
  bool covers(const clang::Expr *Condition, const clang::FunctionDecl *In, clang::SourceLocation Where);
  Unit &U;
  SourceCalls &Sources;
  std::optional<llvm::DenseSet<const clang::ValueDecl *>> Queried; // variables that an MPI query fills
};

} // namespace stridewise
#endif
