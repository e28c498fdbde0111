// Which advice a nest of loops gets: another order of all of it, of lines that are copied, or of updates split off.
#ifndef STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_NESTORDERS_H
#define STRIDEWISE_CHECKS_MEM_STRIDED_INNER_LOOP_NESTORDERS_H

#include "loops/LoopOrder.h"
#include <functional>

namespace stridewise {

/// The rule's thresholds; rule.toml has their units: MaxWork is of instructions for each strided access, beyond which
/// the lines are not what a loop waits for.
struct OrderLimits {
  double MinRatio = 0, MinFootprint = 0, MaxWork = 0;
  std::function<bool(const llvm::Loop *)> IsShared; // threads divide the loop
};

/// The surest that there is; nothing where the nest is well as it stands.
std::optional<BetterOrder> orderOfNest(const LoopNest &N, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                       const OrderLimits &Limits);

/// Args with {lines}: as many lines as one cache line of the array crosses. `Apart`: the lines need nothing of each
/// other, since a team shares the loop over them.
std::string bundleRemedy(const BetterOrder &C, const ReferenceGroup &Worst, bool Apart, ArgMap Args);

} // namespace stridewise
#endif
