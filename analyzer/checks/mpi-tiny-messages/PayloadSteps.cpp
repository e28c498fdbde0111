#include "checks/mpi-tiny-messages/MessageBursts.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace stridewise {

using limits::mpi::FewestColumns;

std::optional<std::int64_t> leastValue(const SCEV *S) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().trySExtValue();
  if (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
    return leastValue(Cast->getOperand());
  if (isa<SCEVUnknown>(S))
    return FewestColumns;
  if (!isa<SCEVAddExpr, SCEVMulExpr>(S))
    return std::nullopt;
  const bool Sum = isa<SCEVAddExpr>(S);
  std::int64_t Total = Sum ? 0 : 1;
  for (const SCEV *Part : S->operands()) {
    std::optional<std::int64_t> Least = leastValue(Part);
    if (!Least || (!Sum && *Least <= 0) ||
        (Sum ? AddOverflow(Total, *Least, Total) : MulOverflow(Total, *Least, Total)))
      return std::nullopt;
  }
  return Total;
}

bool areApart(const Burst &B, StrideEngine &E, bool &Overlap) {
  ScalarEvolution &SE = E.scalarEvolution();
  Overlap = false;
  SmallVector<std::pair<const SCEV *, const Loop *>, 3> Steps;
  for (const Loop *L : B.Loops) {
    const SCEV *Step = E.step(B.Payload, L);
    if (!Step || Step->isZero())
      return false;
    if (SE.isKnownNegative(Step))
      Step = SE.getNegativeSCEV(Step);
    Steps.emplace_back(Step, L);
  }
  // From the smallest step outwards: each one has to go beyond what the loops before it cover.
  llvm::stable_sort(Steps, [](const auto &X, const auto &Y) {
    auto Least = [](const SCEV *S) { return leastValue(S).value_or(std::numeric_limits<std::int64_t>::max()); };
    return Least(X.first) < Least(Y.first);
  });
  const SCEV *Covered = SE.getConstant(Steps.front().first->getType(), B.Bytes);
  for (auto [Step, L] : Steps) {
    if (SE.getTypeSizeInBits(Step->getType()) != SE.getTypeSizeInBits(Covered->getType()))
      return false;
    const SCEV *Gap = SE.getMinusSCEV(Step, Covered);
    if (const auto *C = dyn_cast<SCEVConstant>(Gap); C && C->getAPInt().isNegative()) {
      Overlap = true;
      return false;
    }
    if (std::optional<std::int64_t> Least = leastValue(Gap); !Least || *Least < 0)
      return false;
    if (L == Steps.back().second)
      break;
    unsigned Trips = E.tripCount(L);
    const SCEV *Back = Trips ? SE.getConstant(Step->getType(), Trips - 1) : E.backedges(L);
    if (!Back || isa<SCEVCouldNotCompute>(Back))
      return false;
    Covered = SE.getAddExpr(SE.getMulExpr(Step, SE.getTruncateOrSignExtend(Back, Step->getType())), Covered);
  }
  return true;
}

bool isContiguous(const Burst &B, StrideEngine &E) {
  ScalarEvolution &SE = E.scalarEvolution();
  const SCEV *Run = nullptr; // bytes covered so far
  for (const Loop *L : B.Loops) {
    const SCEV *Step = E.step(B.Payload, L);
    if (!Step)
      return false;
    if (!Run)
      Run = B.Row ? B.Row : SE.getConstant(Step->getType(), B.Bytes);
    if (Step != Run)
      return false;
    if (L == B.Loops.back())
      break;
    unsigned Trips = SE.getSmallConstantTripCount(L);
    const SCEV *Back = E.backedges(L);
    if (Trips)
      Run = SE.getMulExpr(Run, SE.getConstant(Run->getType(), Trips));
    else if (Back && !isa<SCEVCouldNotCompute>(Back))
      Run = SE.getMulExpr(Run,
                          SE.getAddExpr(SE.getTruncateOrSignExtend(Back, Run->getType()), SE.getOne(Run->getType())));
    else
      return false;
  }
  return true;
}

} // namespace stridewise
