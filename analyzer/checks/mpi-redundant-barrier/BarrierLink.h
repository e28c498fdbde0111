// Barriers between functions of other units: what each function of the program does, and the barriers that wait for it.
#ifndef STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERLINK_H
#define STRIDEWISE_CHECKS_MPI_REDUNDANT_BARRIER_BARRIERLINK_H

#include "checks/mpi-redundant-barrier/BarrierNeed.h"
#include "unit/Summary.h"

namespace stridewise {

/// The effects of the unit's functions; null when there are none. Shared memory that the unit uses makes every barrier
/// of the program look needed: `Shares`.
llvm::json::Object functionEffects(Unit &U, MpiEffects &Effects, bool Shares);
/// The functions that calls through pointers may come to, by pointerName().
llvm::json::Object pointerTargets(Unit &U);
/// Which loops call which functions, and what else their iterations do; which functions are called outside of loops,
/// and by which; which may be called from anywhere.
llvm::json::Object callPaths(Unit &U, MpiEffects &Effects);
/// A barrier whose verdict other units decide, with the finding that it becomes.
/// `Called` is the function around it, by CallHeat's name.
llvm::json::Value toJson(const JudgedBarrier &J, const LinkFinding &F, llvm::StringRef Called);
/// What to do about a barrier of that verdict, beside what it meets.
void addRemedy(ArgMap &Args, BarrierVerdict V, const BarrierSide &Before, const BarrierSide &After);

/// The findings of the barriers that nothing in the whole program needs. Each summary is an object with "functions",
/// "pointers", "paths" and "barriers", as made by those above, "shares", and "heat", the calls of the unit as CallHeat
/// writes them.
std::vector<LinkFinding> linkBarriers(llvm::ArrayRef<stored::Value> Summaries);

} // namespace stridewise
#endif
