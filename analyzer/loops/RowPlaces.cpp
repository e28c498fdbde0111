// What the two offsets are apart is a place in a row, made of numbers and counters.
#include "loops/RowPlaces.h"
#include "loops/OffsetTerms.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace stridewise {

// Whether so many bytes are less than a row, whose length may be known at run time only.
static bool isInRow(std::int64_t Bytes, const SCEV *Row) {
  const std::optional<std::int64_t> Length = constant(Row);
  return !Length || std::abs(Bytes) < std::abs(*Length);
}

// Whether all of it is numbers and counters of loops, which step along the row: any other number may be one of rows.
static bool isPlaceInRow(const SCEV *S, const SCEV *Row) {
  if (const std::optional<std::int64_t> Bytes = constant(S))
    return isInRow(*Bytes, Row);
  if (isa<SCEVAddExpr, SCEVAddRecExpr>(S))
    return all_of(S->operands(), [&](const SCEV *Term) { return isPlaceInRow(Term, Row); });
  return false;
}

std::optional<LoopDistances> distancesInRow(const SCEV *X, const SCEV *Y, ArrayRef<const Loop *> Loops,
                                            StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  if (X->getType() != Y->getType())
    return std::nullopt;
  LoopDistances Distances(Loops.size());
  const SCEV *Along = nullptr, *Row = nullptr;
  for (unsigned K = 0; K < Loops.size(); ++K) {
    const SCEV *SX = Engine.step(X, Loops[K]), *SY = Engine.step(Y, Loops[K]);
    if (!SX || !SY)
      return std::nullopt;
    if (SX != SY) {
      if (Along || SX->isZero() == SY->isZero())
        return std::nullopt;
      Along = SX->isZero() ? SY : SX;
    } else if (!SX->isZero()) {
      if (Row)
        return std::nullopt;
      Row = SX;
      Distances[K] = 0;
    }
  }
  const std::optional<std::int64_t> Step = Along ? constant(Along) : std::nullopt;
  if (!Step || !Row || !isInRow(*Step, Row))
    return std::nullopt;
  const SCEV *Apart = SE.getMinusSCEV(atFirst(X, Loops, SE), atFirst(Y, Loops, SE));
  const bool Moves = any_of(Loops, [&](const Loop *L) { return Engine.varies(Apart, L); });
  return !Moves && isPlaceInRow(Apart, Row) ? std::optional(Distances) : std::nullopt;
}

} // namespace stridewise
