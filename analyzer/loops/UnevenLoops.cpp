#include "loops/UnevenLoops.h"
#include "loops/OffsetTerms.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

using limits::loops::SymbolicReach;

// The one number of the run in a count, if it has one and no more.
static const SCEVUnknown *onlyNumber(const SCEV *Count) {
  SmallVector<const SCEV *, 4> Terms{Count};
  const SCEVUnknown *Found = nullptr;
  while (!Terms.empty()) {
    const SCEV *T = Terms.pop_back_val();
    if (isa<SCEVAddExpr, SCEVCastExpr, SCEVMinMaxExpr>(T)) {
      Terms.append(T->operands().begin(), T->operands().end());
    } else if (!isa<SCEVConstant>(T)) {
      if (!isa<SCEVUnknown>(T) || (Found && Found != T))
        return nullptr;
      Found = cast<SCEVUnknown>(T);
    }
  }
  return Found;
}

// Whether nothing but the loop's end looks at what P counts: flang counts the iterations that are left beside the
// counter of the source.
static bool onlyCountsTrips(const PHINode &P, const Loop &L) {
  const auto LooksAtEnd = [&](const User *U) { return U == &P || isa<ICmpInst>(U); };
  const auto *Latch = L.getLoopLatch();
  const auto *Next = Latch ? dyn_cast<BinaryOperator>(P.getIncomingValueForBlock(Latch)) : nullptr;
  return Next && isa<ConstantInt>(Next->getOperand(1)) && all_of(Next->users(), LooksAtEnd) &&
         all_of(P.users(), [&](const User *U) { return U == Next || isa<ICmpInst>(U); });
}

bool endsAtTable(const LoopNest &N, const SCEV *Count, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEVUnknown *Bound = onlyNumber(Count);
  const SCEV *From = Bound ? Engine.loadedFrom(Bound) : nullptr;
  if (!From || none_of(N.Loops, [&](const Loop *L) { return Engine.varies(From, L); }))
    return false;
  const SCEV *Table = SE.getPointerBase(From);
  if (any_of(N.References, [&](const Reference &R) { return R.Writes && SE.getPointerBase(R.Address) == Table; }))
    return false;
  return all_of(const_cast<Loop *>(N.inner())->getHeader()->phis(), [&](PHINode &P) {
    const auto *Counter = dyn_cast_or_null<SCEVAddRecExpr>(P.getType()->isIntegerTy() ? Engine.rewrite(&P) : nullptr);
    return !Counter || Counter->getLoop() != N.inner() || onlyCountsTrips(P, *N.inner()) ||
           none_of(N.Loops, [&](const Loop *L) {
             return Engine.varies(Counter->getStart(), L) && !Engine.step(Counter->getStart(), L);
           });
  });
}

// Whether the loops within A leave the reference where it is.
static bool standsStill(const Reference &R, const Loop *A, StrideEngine &Engine) {
  for (const Loop *L = R.In; L && L != A; L = L->getParentLoop())
    if (const SCEV *Step = Engine.step(R.Address, L); !Step || !Step->isZero())
      return false;
  return true;
}

FinishedRows readsFinishedRows(const Reference &Read, const Reference &Write, const Loop *E, const Loop *A,
                               StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Count = Engine.backedges(E);
  if (Read.Writes || Write.Reads || Read.In != E || !Count ||
      SE.getPointerBase(Read.Address) != SE.getPointerBase(Write.Address))
    return FinishedRows::None;
  const SCEV *Along = Engine.step(Read.Address, E), *Down = Engine.step(Write.Address, A),
             *Grows = Engine.step(Count, A), *Still = Engine.step(Read.Address, A);
  if (!Along || !Down || Down->isZero() || !Grows || !Grows->isOne() || !Still)
    return FinishedRows::None;
  if (!standsStill(Write, A, Engine))
    return FinishedRows::None;
  const Loop *Both[] = {A, E};
  const SCEV *Apart = SE.getMinusSCEV(atFirst(Write.Address, Both, SE), atFirst(Read.Address, Both, SE));
  std::optional<std::int64_t> Behind; // by how many rows the one that is read first is before the first one written
  for (std::int64_t By = -SymbolicReach; By <= SymbolicReach; ++By)
    if (Apart == SE.getMulExpr(SE.getConstant(Down->getType(), By, /*isSigned=*/true), Down))
      Behind = By;
  if (!Behind)
    return FinishedRows::None;
  if (Along == Down && Still->isZero()) {
    // From the first row on, up to one before the row of the outer loop.
    const std::optional<std::int64_t> Last = constant(unclamped(atFirst(Count, Both, SE), SE));
    return Last && *Last < *Behind ? FinishedRows::Forwards : FinishedRows::None;
  }
  // From the row before that of the outer loop back to the first one.
  return Along == SE.getNegativeSCEV(Down) && Still == Down && *Behind > 0 ? FinishedRows::Backwards
                                                                           : FinishedRows::None;
}

} // namespace stridewise
