// Barriers between functions of other units: what each function of the program does, and the barriers that wait for it.
#ifndef STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERLINK_H
#define STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERLINK_H

#include "checks/mpi-redundant-barrier/BarrierNeed.h"
#include "unit/Summary.h"

namespace stridewise {

/// The effects of the unit's functions; null when there are none. Shared memory that the unit uses makes every barrier
/// of the program look needed: `Shares`.
llvm::json::Object functionEffects(Unit &U, MpiEffects &Effects, bool Shares);
/// A barrier whose verdict other units decide, with the finding that it becomes.
llvm::json::Value toJson(const JudgedBarrier &J, const LinkFinding &F);

/// The findings of the barriers that nothing in the whole program needs. Each summary is an object with "functions" and
/// "barriers", as made by the two above.
std::vector<LinkFinding> linkBarriers(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
