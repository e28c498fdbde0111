// Lines of an array that are brought into a buffer, or written back from one, each in a pass of its own, though
// neighbours share the cache lines they stand in: columns that are filtered, pencils that are transformed or solved.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_LINEBUNDLES_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_LINEBUNDLES_H

#include "checks/mem-strided-inner-loop/NestOrders.h"

namespace stridewise {

/// The nearest loop over such neighbours, and what copying several of them in one pass saves: the order itself must
/// stay, since each line is worked on between its copies. That the lines do not depend on each other is not asked.
/// Lines without a buffer, too, where the iterations of that loop are seen to hand nothing on to each other, or threads
/// share them: several can be worked on side by side, whatever keeps the loops in their order.
/// Nothing where the lines of one pass fit the least footprint: the next pass finds them in the cache.
std::optional<BetterOrder> bundledLines(const LoopNest &N, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                        const OrderLimits &Limits);

} // namespace stridewise
#endif
