#include "checks/mpi-tiny-messages/RowPlaces.h"
#include "mpi/MemoryRange.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace stridewise {

using limits::loops::SymbolicReach;

bool isOneSize(const SCEV *S) {
  switch (S->getSCEVType()) {
  case scConstant:
  case scUnknown:
    return true;
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
  case scPtrToInt:
    return isOneSize(cast<SCEVCastExpr>(S)->getOperand());
  case scAddExpr:
    return all_of(S->operands(), isOneSize);
  case scMulExpr:
    return count_if(S->operands(), [](const SCEV *Part) { return !isa<SCEVConstant>(Part); }) == 1 &&
           all_of(S->operands(), isOneSize);
  default:
    return false;
  }
}

bool isBetween(const SCEV *Size) {
  while (const auto *Cast = dyn_cast<SCEVCastExpr>(Size))
    Size = Cast->getOperand();
  return isa<SCEVAddExpr>(Size) &&
         count_if(Size->operands(), [](const SCEV *Part) { return !isa<SCEVConstant>(Part); }) > 1;
}

// The address at the begin of the loops within L.
static const SCEVAddRecExpr *inLoop(const SCEV *Address, const Loop *L) {
  const auto *Rec = dyn_cast<SCEVAddRecExpr>(Address);
  while (Rec && Rec->getLoop() != L && L->contains(Rec->getLoop()))
    Rec = dyn_cast<SCEVAddRecExpr>(Rec->getStart());
  return Rec && Rec->getLoop() == L && Rec->isAffine() ? Rec : nullptr;
}

bool isSentLater(StrideEngine &E, Value *Into, const SCEV *Payload, const Loop *L) {
  const SCEVAddRecExpr *From = inLoop(Payload, L), *To = inLoop(E.rewrite(Into), L);
  if (!From || !To)
    return true;
  // Products of two sizes may be written in several ways.
  const SizePolynomial Step = polynomialOf(From->getOperand(1)), Other = polynomialOf(To->getOperand(1));
  if (Step.isZero())
    return true;
  const SizePolynomial Apart = polynomialOf(To->getStart()) - polynomialOf(From->getStart());
  // The other way, as from the middle outwards: they part where they do not begin ahead.
  const bool Parts = (Step + Other).isZero();
  if (!Parts && !(Step - Other).isZero())
    return true;
  bool Met = Parts;
  for (std::int64_t Rows = -SymbolicReach; Rows <= SymbolicReach; ++Rows)
    if ((Apart - Step * SizePolynomial::constant(Rows)).isZero())
      Met = !Parts || Rows >= 0;
  return Met;
}

} // namespace stridewise
