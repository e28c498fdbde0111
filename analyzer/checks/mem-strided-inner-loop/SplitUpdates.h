// Updates that a loop leads on by numbers that it makes for each of its iterations, as rotations of two columns are led
// on by their angles: once the numbers stand in arrays, the updates can run in the better order behind that loop.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_SPLITUPDATES_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_SPLITUPDATES_H

#include "loops/LoopOrder.h"

namespace stridewise {

/// The order that such a nest should have, when the loop around its inner one should be the innermost and cannot become
/// it where it stands. Nothing where the other statements of that loop look at what the inner loop writes.
std::optional<BetterOrder> splitUpdates(const LoopNest &N, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                        double MinRatio, double MinFootprint);

} // namespace stridewise
#endif
