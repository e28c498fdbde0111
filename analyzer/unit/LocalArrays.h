// Small local arrays that short loops index: three indices of a view, the steps of three directions.
#ifndef STRIDEWISE_UNIT_LOCALARRAYS_H
#define STRIDEWISE_UNIT_LOCALARRAYS_H

#include "llvm/IR/PassManager.h"

namespace stridewise {

/// Unrolls the short loops of constant length that index local arrays which nothing else hides from the optimiser, so
/// that their elements become values. True where the function was changed; analyses of it are then out of date.
bool unrollLocalArrays(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace stridewise
#endif
