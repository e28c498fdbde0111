// What a program does once, beside the work that it is for.
#ifndef STRIDEWISE_LOOPS_SETUP_H
#define STRIDEWISE_LOOPS_SETUP_H

#include "loops/CallHeat.h"
#include "unit/Summary.h"
#include "unit/Unit.h"
#include "llvm/Analysis/LoopInfo.h"

namespace stridewise {

/// Two loops that `main` runs once, where the unit has a nest of three or more: they fill or check the data of that.
bool isSetUp(const llvm::Loop *Inner, Unit &U);

/// How deep the nests of each function are, by their outermost loops, for `setUpLoops`; null where there are none.
llvm::json::Value nestDepths(Unit &U, const CallHeat &Calls);

/// Over the units of a program, by their `nestDepths` and `CallHeat::toJson`: the loops that go over their data once
/// where work that comes back to its own is deeper, with the loops around its calls; those that fill arrays once, and
/// those that only look at the data, once or in one of many steps, where any work is.
/// \param IsOneOfSeveral programs of a database, so that the work has to be deeper by more than what looks at it.
std::vector<Place> setUpLoops(llvm::ArrayRef<const stored::Value *> Depths, llvm::ArrayRef<const stored::Value *> Calls,
                              bool IsOneOfSeveral);

} // namespace stridewise
#endif
