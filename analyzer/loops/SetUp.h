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

/// How deep the nests of each function are, for `setUpFunctions`; null where there are none.
llvm::json::Value nestDepths(Unit &U, const CallHeat &Calls);

/// Over all units, by their `nestDepths` and `CallHeat::toJson`: the functions that the program runs once and that fill
/// arrays, whose nests are some loops less deep than those of its deepest work, with the loops around the calls
/// counted. None where there are several programs.
std::vector<Place> setUpFunctions(llvm::ArrayRef<const stored::Value *> Depths,
                                  llvm::ArrayRef<const stored::Value *> Calls);

} // namespace stridewise
#endif
