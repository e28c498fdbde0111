#include "loops/AddressDistance.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace stridewise {

bool isInjective(const Reference &R, ArrayRef<const Loop *> Loops, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  // Only the extension of a single value can be taken apart without the assumption that sums do not wrap.
  bool Wraps = SCEVExprContains(SE.getSCEV(R.Pointer), [](const SCEV *S) {
    const auto *Cast = dyn_cast<SCEVCastExpr>(S);
    return (Cast && !isa<SCEVUnknown>(Cast->getOperand())) || isa<SCEVUDivExpr, SCEVMinMaxExpr>(S);
  });
  if (Wraps || Engine.isAssumed(R.Address))
    return false;
  SmallVector<std::pair<const SCEV *, const Loop *>, 4> Left;
  for (const Loop *L : Loops) {
    const SCEV *Step = Engine.step(R.Address, L), *Count = Engine.backedges(L);
    if (!Step || !Count || Engine.isAssumed(Count))
      return false;
    if (!Step->isZero())
      Left.push_back({Step, L});
  }
  if (Left.empty())
    return true;
  // Bytes from the first one touched to the end of the last, over the loops taken so far.
  Type *T = Left.front().first->getType();
  const SCEV *Reach = SE.getConstant(T, R.Bytes);
  while (!Left.empty()) {
    auto *Next = find_if(Left, [&](const auto &Candidate) {
      const SCEV *Step = Candidate.first;
      if (SE.isKnownNegative(Step))
        Step = SE.getNegativeSCEV(Step);
      return Step->getType() == T && SE.isKnownNonNegative(SE.getMinusSCEV(Step, Reach));
    });
    if (Next == Left.end())
      return false;
    const SCEV *Step = Next->first;
    if (SE.isKnownNegative(Step))
      Step = SE.getNegativeSCEV(Step);
    const SCEV *Count = Engine.simplify(SE.getTruncateOrSignExtend(Engine.backedges(Next->second), T));
    Reach = SE.getAddExpr(Reach, SE.getMulExpr(Step, Count));
    Left.erase(Next);
  }
  return true;
}

} // namespace stridewise
