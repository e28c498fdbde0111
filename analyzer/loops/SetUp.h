// What a program does once, beside the work that it is for.
#ifndef STRIDEWISE_LOOPS_SETUP_H
#define STRIDEWISE_LOOPS_SETUP_H

#include "unit/Unit.h"
#include "llvm/Analysis/LoopInfo.h"

namespace stridewise {

/// Two loops that `main` runs once, where the unit has a nest of three or more: they fill or check the data of that.
bool isSetUp(const llvm::Loop *Inner, Unit &U);

} // namespace stridewise
#endif
