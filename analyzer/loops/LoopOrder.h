// Which loop of a nest should run innermost: the order that fetches fewest cache lines and pages, if it is legal.
#ifndef STRIDEWISE_LOOPS_LOOPORDER_H
#define STRIDEWISE_LOOPS_LOOPORDER_H

#include "loops/LoopLegality.h"
#include "loops/LoopNest.h"
#include "unit/Finding.h"
#include "unit/Unit.h"

namespace stridewise {

struct BetterOrder {
  const LoopNest *Nest = nullptr;
  llvm::Function *F = nullptr;
  unsigned Level = 0; // of the loop that should run innermost
  double Ratio = 0;   // cost now / cost then
  ExchangeVerdict Verdict;
  bool AssumesStep =
      false;               // the step now is a number of the run, which nothing bounds from below: a line may hold many
  bool Bundles = false;    // the order stays: neighbouring lines are to be copied together (LineBundles.h)
  bool SideBySide = false; // of Bundles: as they stand, without a buffer
  bool Splits = false;     // behind the loop that makes the numbers for it (SplitUpdates.h)
  Confidence Conf = Confidence::Low;
};

/// True when the loop of this level, run innermost, makes the group's references contiguous and at least so much
/// cheaper.
bool improves(const ReferenceGroup &G, unsigned Level, double MinRatio);

/// The best legal order that costs at least `MinRatio` times less; one of unclear legality only when no other does.
/// Nothing for a nest that touches no more than `MinFootprint` bytes.
std::optional<BetterOrder> betterOrder(const LoopNest &N, llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                                       double MinRatio, double MinFootprint);

/// The group that gains most from the order; null when none gains.
const ReferenceGroup *mostImproved(const BetterOrder &O, double MinRatio);

/// The array that a reference or its address leads to, through the pointers of tables.
const llvm::SCEV *rootOf(const llvm::SCEV *Address, StrideEngine &Engine);
inline const llvm::SCEV *rootOf(const Reference &R, StrideEngine &Engine) { return rootOf(R.Address, Engine); }

/// The accesses that the order makes contiguous, as a profiler would show them: each place of the source that stands in
/// `Scope` (through inlined calls), with the cache lines that it fetches per execution in the better order.
std::vector<Access> improvedAccesses(const BetterOrder &O, clang::SourceRange Scope, double MinRatio, Unit &U);

} // namespace stridewise
#endif
