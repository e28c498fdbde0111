// Solves for iteration distances: offset(Y) - offset(X) = sum over loops of distance * step.
#include "loops/AddressDistance.h"
#include "loops/FieldsApart.h"
#include "loops/OffsetTerms.h"
#include "loops/RowPlaces.h"
#include "thresholds.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace stridewise {
namespace {

constexpr unsigned MaxIndirections = 4;
using limits::loops::SymbolicReach;

// Offsets from the innermost array outwards, and the root of them all.
struct Place {
  SmallVector<const SCEV *, 3> Offsets;
  const SCEV *Root = nullptr;
};

// A thread's copy of a variable is asked for anew at each use: the uses are of one variable all the same.
const SCEV *named(const SCEV *Base, ScalarEvolution &SE) {
  const auto *Unknown = dyn_cast<SCEVUnknown>(Base);
  const auto *Asked = Unknown ? dyn_cast<IntrinsicInst>(Unknown->getValue()) : nullptr;
  return Asked && Asked->getIntrinsicID() == Intrinsic::threadlocal_address ? SE.getSCEV(Asked->getArgOperand(0))
                                                                            : Base;
}

std::optional<Place> placeOf(const SCEV *Address, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  Place P;
  for (unsigned K = 0; K < MaxIndirections; ++K) {
    if (!Address->getType()->isPointerTy())
      return std::nullopt;
    P.Root = named(SE.getPointerBase(Address), SE);
    P.Offsets.push_back(SE.removePointerBase(Address));
    Address = Engine.loadedFrom(P.Root);
    if (!Address)
      break;
  }
  return P;
}

using Distances = SmallVector<std::optional<std::int64_t>, 4>;

// What a loop's length allows; nothing when it is not known.
using Allowed = std::optional<std::pair<std::int64_t, std::int64_t>>;

// One equation: Delta = sum of distance * step over the loops that move this offset.
class Equation {
public:
  enum Outcome { Solved, NoSolution, Unclear };

  Equation(ScalarEvolution &SE, const SCEV *Delta, ArrayRef<const SCEV *> Steps, std::int64_t Slack,
           ArrayRef<Allowed> Limits = {})
      : SE(SE), Delta(Delta), Slack(Slack), Result(Steps.size()) {
    for (unsigned K = 0; K < Steps.size(); ++K) {
      if (Steps[K]->isZero())
        continue;
      if (auto C = constant(Steps[K]))
        Fixed.push_back({*C, K, K < Limits.size() ? Limits[K] : std::nullopt});
      else
        Symbolic.push_back({Steps[K], K});
    }
    // The largest step first, as the digits of a number.
    llvm::sort(Fixed, [](const Digit &X, const Digit &Y) { return std::abs(X.Step) > std::abs(Y.Step); });
  }

  Outcome solve() {
    if (Symbolic.size() > 2) {
      for (const auto &[Step, Level] : Symbolic)
        Result[Level] = 0;
      const std::optional<std::int64_t> Rest = constant(Delta);
      return Rest ? solveFixed(*Rest) : Unclear;
    }
    // Nearest first, so that the solution with the smallest distances wins.
    SmallVector<std::int64_t, 9> Tried{0};
    if (!Symbolic.empty())
      for (std::int64_t D = 1; D <= SymbolicReach; ++D)
        Tried.append({D, -D});
    for (std::int64_t First : Tried)
      for (std::int64_t Second : Symbolic.size() > 1 ? ArrayRef(Tried) : ArrayRef(Tried).take_front(1)) {
        const SCEV *Rest = Delta;
        std::int64_t By[] = {First, Second};
        for (unsigned K = 0; K < Symbolic.size(); ++K) {
          const SCEV *Step = Symbolic[K].first;
          if (SE.getTypeSizeInBits(Step->getType()) != SE.getTypeSizeInBits(Rest->getType()))
            return Unclear;
          if (By[K])
            Rest = SE.getMinusSCEV(Rest, SE.getMulExpr(SE.getConstant(Step->getType(), By[K], true), Step));
        }
        if (auto C = constant(Rest)) {
          for (unsigned K = 0; K < Symbolic.size(); ++K)
            Result[Symbolic[K].second] = By[K];
          return solveFixed(*C);
        }
      }
    return Unclear;
  }

  const Distances &result() const { return Result; }

private:
  struct Digit {
    std::int64_t Step;
    unsigned Level;
    Allowed Limit;
  };

  // What the steps from a digit on can add up to; nothing when a length is not known.
  Allowed reachFrom(std::size_t First) const {
    std::int64_t Least = 0, Most = 0;
    for (const Digit &D : ArrayRef(Fixed).drop_front(First)) {
      std::int64_t Low, High;
      if (!D.Limit || MulOverflow(D.Limit->first, D.Step, Low) || MulOverflow(D.Limit->second, D.Step, High) ||
          AddOverflow(Least, std::min(Low, High), Least) || AddOverflow(Most, std::max(Low, High), Most))
        return std::nullopt;
    }
    return std::pair(Least, Most);
  }

  Outcome solveFixed(std::int64_t Rest) {
    for (std::size_t K = 0; K < Fixed.size(); ++K) {
      const auto &[Step, Level, Limit] = Fixed[K];
      const std::int64_t Size = std::abs(Step);
      std::int64_t Count = (std::abs(Rest) + Size / 2) / Size * (Rest < 0 ? -1 : 1);
      const auto IsAllowed = [&, Step = Step, Limit = Limit](std::int64_t N) {
        const std::int64_t By = Step < 0 ? -N : N;
        return !Limit || (By >= Limit->first && By <= Limit->second);
      };
      // Where the smaller steps are known not to come so far, the remainder must be one that they reach.
      if (Allowed Smaller = reachFrom(K + 1); Smaller && K + 1 < Fixed.size()) {
        auto Reached = [&](std::int64_t N) {
          const std::int64_t Left = Rest - N * Size;
          return Left > Smaller->first - Slack && Left < Smaller->second + Slack;
        };
        const std::int64_t Tried[] = {Count, Count - 1, Count + 1};
        const auto *Fits = find_if(Tried, [&](std::int64_t N) { return IsAllowed(N) && Reached(N); });
        if (Fits == std::end(Tried))
          return NoSolution;
        Count = *Fits;
      } else if (K + 1 == Fixed.size() && !IsAllowed(Count)) {
        return NoSolution;
      }
      Rest -= Count * Size;
      Result[Level] = Step < 0 ? -Count : Count;
    }
    return std::abs(Rest) < Slack ? Solved : NoSolution;
  }

  ScalarEvolution &SE;
  const SCEV *Delta;
  std::int64_t Slack;
  SmallVector<Digit, 4> Fixed;
  SmallVector<std::pair<const SCEV *, unsigned>, 2> Symbolic;
  Distances Result;
};

// The smallest and the largest value of an offset over the loops; nothing when it is not linear in them, or when a
// loop's length depends on another of them.
std::optional<std::pair<const SCEV *, const SCEV *>> reach(const SCEV *Offset, ArrayRef<const Loop *> Loops,
                                                           StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *Low = Offset, *Extent = SE.getZero(Offset->getType());
  for (const Loop *L : Loops) {
    const SCEV *Step = Engine.step(Offset, L), *Count = Engine.backedges(L);
    if (!Step || !Count)
      return std::nullopt;
    if (Step->isZero())
      continue;
    if (!SE.isKnownPositive(Step) || any_of(Loops, [&](const Loop *O) { return O != L && Engine.varies(Count, O); }))
      return std::nullopt;
    Low = atFirst(Low, L, SE);
    const SCEV *Times = Engine.simplify(SE.getTruncateOrSignExtend(Count, Step->getType()));
    Extent = SE.getAddExpr(Extent, SE.getMulExpr(Step, Times));
  }
  if (any_of(Loops, [&](const Loop *L) { return Engine.varies(Low, L); }))
    return std::nullopt;
  return std::pair(Low, SE.getAddExpr(Low, Extent));
}

// True when all that the one reference touches in the loops lies before all that the other one does.
bool areApart(const SCEV *X, unsigned XBytes, const SCEV *Y, unsigned YBytes, ArrayRef<const Loop *> Loops,
              StrideEngine &Engine) {
  auto RX = reach(X, Loops, Engine), RY = reach(Y, Loops, Engine);
  if (!RX || !RY)
    return false;
  ScalarEvolution &SE = Engine.scalarEvolution();
  auto Before = [&](const SCEV *Last, unsigned Bytes, const SCEV *First) {
    const SCEV *Gap = SE.getMinusSCEV(First, SE.getAddExpr(Last, SE.getConstant(Last->getType(), Bytes)));
    return SE.isKnownNonNegative(Gap);
  };
  return Before(RX->second, XBytes, RY->first) || Before(RY->second, YBytes, RX->first);
}

// One of the two stands still in a loop, the other one goes away from it there, from its first iteration on: in an
// elimination, a[i][j] for j > k never comes to a[i][k]. Subscripts are assumed to stay within their rows.
bool neverReaches(const SCEV *X, const SCEV *Y, unsigned Bytes, ArrayRef<const Loop *> Loops, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  if (X->getType() != Y->getType())
    return false;
  const Loop *Only = nullptr;
  const SCEV *Away = nullptr;
  SmallVector<const SCEV *, 4> Common;
  for (const Loop *L : Loops) {
    const SCEV *SX = Engine.step(X, L), *SY = Engine.step(Y, L);
    if (!SX || !SY)
      return false;
    if (SX == SY) {
      Common.push_back(SX);
      continue;
    }
    if (Only || SX->isZero() == SY->isZero())
      return false;
    Only = L;
    if (SX->isZero())
      std::swap(X, Y); // X is the one that moves
    Away = SX->isZero() ? SY : SX;
  }
  if (!Away || any_of(Common, [&](const SCEV *S) { return S == Away || S == SE.getNegativeSCEV(Away); }))
    return false;
  const SCEV *Ahead = SE.getMinusSCEV(atFirst(X, Only, SE), Y);
  const auto By = constant(Away), Rest = constant(Ahead);
  if (By && Rest)
    return std::abs(*Rest) >= Bytes && (*Rest > 0) == (*By > 0);
  for (std::int64_t N = 1; N <= SymbolicReach && !By; ++N)
    if (Ahead == SE.getMulExpr(SE.getConstant(Away->getType(), N, true), Away))
      return true;
  return false;
}

// An element and its mirror image, a[i][j] and a[j][i]: the loop moves the one along its row and the other down its
// column. The rows and the places in the row have to agree, each for itself: subscripts are assumed to stay within
// their rows.
bool mirrorMeetsWithinIteration(const SCEV *X, const SCEV *Y, const Loop *A, StrideEngine &Engine) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  const SCEV *SX = Engine.step(X, A), *SY = Engine.step(Y, A);
  auto CX = constant(SX), CY = constant(SY);
  if (!CX && !CY)
    return false;
  const bool YGoesDown = !CY || (CX && std::abs(*CY) > std::abs(*CX));
  const SCEV *Row = YGoesDown ? SY : SX;
  const std::int64_t Along = YGoesDown ? *CX : *CY;
  // By so much the one that walks along its row is ahead of the other in the first iteration of A.
  const SCEV *First = atFirst(Engine.atStart(YGoesDown ? X : Y, A), A, SE),
             *Second = atFirst(Engine.atStart(YGoesDown ? Y : X, A), A, SE), *Ahead = SE.getMinusSCEV(First, Second);
  for (std::int64_t Rows : {0, -1, 1}) {
    auto Rest = constant(SE.getMinusSCEV(Ahead, SE.getMulExpr(SE.getConstant(Row->getType(), Rows, true), Row)));
    auto Length = constant(Row);
    if (!Rest || (Length && 2 * std::abs(*Rest) >= std::abs(*Length)))
      continue;
    // They meet when the one has gone down `Rows` rows and the other has gone back by the rest: in one iteration, or
    // before the first.
    return Rows < 0 || (Along && *Rest % Along == 0 && (-*Rest / Along == Rows || -*Rest / Along < 0));
  }
  return false;
}

} // namespace

// Pointers that two members of one record hold, or two entries of one table, however far apart what they lead to is
// touched.
template <typename Path>
static bool areHeldApart(const Path &X, const Path &Y, ArrayRef<const Loop *> Loops, StrideEngine &Engine) {
  // Different depths of indirection reach different arrays: a table and the rows that it points to.
  if (X.Offsets.size() != Y.Offsets.size())
    return true;
  for (unsigned Dim = 1; Dim < X.Offsets.size(); ++Dim) {
    const SCEV *OX = X.Offsets[Dim], *OY = Y.Offsets[Dim];
    if (OX->getType() != OY->getType() ||
        any_of(Loops, [&](const Loop *L) { return Engine.varies(OX, L) || Engine.varies(OY, L); }))
      continue;
    const std::optional<std::int64_t> Apart = constant(Engine.scalarEvolution().getMinusSCEV(OX, OY));
    if (Apart && *Apart != 0)
      return true;
  }
  return false;
}

// The steps of two offsets in the loops, which are to be the same; of the second loop between iterations of the first
// one with the same counter.
static std::optional<SmallVector<const SCEV *, 4>>
commonSteps(const SCEV *X, const SCEV *Y, ArrayRef<const Loop *> Loops, StrideEngine &Engine, std::int64_t Shift) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  SmallVector<const SCEV *, 4> Steps;
  for (const Loop *L : Loops) {
    const SCEV *Step = Engine.step(X, L);
    if (!Step || Step != Engine.step(Y, L))
      return std::nullopt;
    Steps.push_back(Step);
  }
  if (Shift && Steps.size() > 1)
    Steps[1] = SE.getMinusSCEV(Steps[1],
                               SE.getMulExpr(SE.getConstant(Steps[0]->getType(), Shift, /*isSigned=*/true), Steps[0]));
  return Steps;
}

// Takes over the distances of one more dimension; false where these are others than those of an earlier one.
template <typename Result> static bool agree(SmallVectorImpl<std::optional<std::int64_t>> &Known, const Result &More) {
  for (unsigned K = 0; K < Known.size(); ++K) {
    if (!More[K])
      continue;
    if (Known[K] && *Known[K] != *More[K])
      return false;
    Known[K] = More[K];
  }
  return true;
}

// Places of one row that two loops go along.
static AddressDistance placesInRow(const SCEV *X, const SCEV *Y, ArrayRef<const Loop *> Loops, StrideEngine &Engine) {
  if (const auto InRow = distancesInRow(X, Y, Loops, Engine))
    return {AddressDistance::Known, *InRow};
  return {AddressDistance::Unclear, {}};
}

AddressDistance addressDistance(const Reference &X, const Reference &Y, ArrayRef<const Loop *> Loops,
                                StrideEngine &Engine, std::int64_t Shift) {
  ScalarEvolution &SE = Engine.scalarEvolution();
  auto PX = placeOf(X.Address, Engine), PY = placeOf(Y.Address, Engine);
  if (!PX || !PY)
    return {AddressDistance::Unclear, {}};
  if (PX->Root != PY->Root || areHeldApart(*PX, *PY, Loops, Engine))
    return {AddressDistance::DistinctBases, {}};
  AddressDistance D{AddressDistance::Known, Distances(Loops.size())};
  bool AllSolved = true;
  for (unsigned Dim = 0; Dim < PX->Offsets.size(); ++Dim) {
    const SCEV *OX = PX->Offsets[Dim], *OY = PY->Offsets[Dim];
    const std::optional<SmallVector<const SCEV *, 4>> Steps = commonSteps(OX, OY, Loops, Engine, Shift);
    if (!Steps) {
      if ((OX->getType() == OY->getType() && areApart(OX, X.Bytes, OY, Y.Bytes, Loops, Engine)) ||
          neverReaches(OX, OY, Dim == 0 ? std::max({X.Bytes, Y.Bytes, 1u}) : 1, Loops, Engine))
        return {AddressDistance::Never, {}};
      return Shift || PX->Offsets.size() > 1 ? AddressDistance{AddressDistance::Unclear, {}}
                                             : placesInRow(OX, OY, Loops, Engine);
    }
    if (SE.getTypeSizeInBits(OX->getType()) != SE.getTypeSizeInBits(OY->getType()))
      return {AddressDistance::Unclear, {}};
    // Rows of a table are whole objects; only the last offset has a width.
    std::int64_t Slack = Dim == 0 ? std::max({X.Bytes, Y.Bytes, 1u}) : 1;
    SmallVector<Allowed, 4> Limits;
    for (const SCEV *Step : *Steps)
      Limits.push_back(Dim + 1 == PX->Offsets.size() ? withinDeclared(PX->Root, constant(Step).value_or(0))
                                                     : std::nullopt);
    Equation Eq(SE, SE.getMinusSCEV(OY, OX), *Steps, Slack, Limits);
    switch (Eq.solve()) {
    case Equation::NoSolution:
      return {AddressDistance::Never, {}};
    case Equation::Unclear:
      AllSolved = false; // the other dimensions may say enough
      continue;
    case Equation::Solved:
      break;
    }
    if (!agree(D.PerLevel, Eq.result()))
      return {AddressDistance::Never, {}};
  }
  if (!AllSolved && !all_of(D.PerLevel, [](const auto &Distance) { return Distance.has_value(); }))
    return {AddressDistance::Unclear, {}};
  return D;
}

namespace {
// One dimension of two references that the loops inside of A may bring to one address.
class Meeting {
public:
  enum Answer {
    Never,         // in no two iterations of A but one and the same
    Unclear,       // perhaps in several
    SameIteration, // A moves them alike: only in one
    AnyIteration   // A does not move them
  };
  Meeting(const Reference &X, const Reference &Y, const Loop *A, StrideEngine &Engine)
      : X(X), Y(Y), A(A), Engine(Engine), SE(Engine.scalarEvolution()) {}

  Answer of(const SCEV *OX, const SCEV *OY, bool Innermost, bool Only) {
    if (SE.getTypeSizeInBits(OX->getType()) != SE.getTypeSizeInBits(OY->getType()))
      return Unclear;
    const SCEV *Own = Engine.step(OX, A), *Other = Engine.step(OY, A);
    if (!Own || !Other)
      return Unclear;
    if (Other != Own) {
      const bool Mirrors =
          Only && standsStill(OX, X.In) && standsStill(OY, Y.In) && mirrorMeetsWithinIteration(OX, OY, A, Engine);
      return Mirrors || movesAway(OX, OY, Own, Other, Innermost) ? Never : Unclear;
    }
    Steps = {withoutSweeps(withoutSweeps(Own, OX, X.In), OY, Y.In)};
    Limits = {std::nullopt};
    const bool Moves = !Own->isZero();
    const Answer Otherwise = Moves ? Unclear : AnyIteration;
    if (!addInner(OX, X.In, true) || !addInner(OY, Y.In, false))
      return Otherwise;
    const SCEV *Delta = withoutMultiples(distance(OX, OY), rows(), SE);
    Equation Eq(SE, Delta, Steps, Innermost ? std::max({X.Bytes, Y.Bytes, 1u}) : 1, Limits);
    switch (Eq.solve()) {
    case Equation::NoSolution:
      return Never;
    case Equation::Unclear:
      return Otherwise;
    case Equation::Solved:
      break;
    }
    if (!Moves)
      return AnyIteration;
    return *Eq.result()[0] == 0 ? SameIteration : Unclear;
  }

private:
  bool standsStill(const SCEV *Offset, const Loop *L) const {
    for (; L && L != A; L = L->getParentLoop())
      if (const SCEV *Step = Engine.step(Offset, L); !Step || !Step->isZero())
        return false;
    return true;
  }

  // One of the two keeps its place in the rows that the inner loops go through, and A leads the other one away from it
  // within its row: elimination, where all rows below are updated by the pivot's.
  bool movesAway(const SCEV *OX, const SCEV *OY, const SCEV *Own, const SCEV *Other, bool Innermost) {
    if (!Own->isZero() && !Other->isZero())
      return false;
    Steps = {Own->isZero() ? Other : Own};
    Limits = {std::nullopt};
    const std::optional<std::int64_t> Step = constant(Steps[0]);
    if (!Step || !addInner(OX, X.In, true) || !addInner(OY, Y.In, false))
      return false;
    const SCEV *Apart = atFirst(distance(OX, OY), A, SE); // of Y, from X
    const auto Ahead = constant(withoutMultiples(Apart, rows(), SE));
    const std::int64_t Width = Innermost ? std::max({X.Bytes, Y.Bytes, 1u}) : 1;
    return Ahead && *Ahead * (Own->isZero() == (*Step > 0) ? 1 : -1) >= Width;
  }

  // The step of A but for what a loop within it, whose length is not known, may add any number of times: the rows of a
  // triangle begin one element further along.
  const SCEV *withoutSweeps(const SCEV *Own, const SCEV *Offset, const Loop *L) const {
    for (; L && L != A; L = L->getParentLoop()) {
      const SCEV *Step = Engine.step(Offset, L);
      if (!Step || Step->isZero() || Step->getType() != Own->getType() || Engine.tripCount(L))
        continue;
      for (const SCEV *Each : {Step, SE.getNegativeSCEV(Step)}) {
        const auto Rest = constant(SE.getMinusSCEV(Own, Each)), Size = constant(Step), Whole = constant(Own);
        if (Rest && *Rest && (!Size || (Whole && std::abs(*Rest) < std::min(std::abs(*Size), std::abs(*Whole)))))
          Own = SE.getConstant(Own->getType(), *Rest, /*isSigned=*/true);
      }
    }
    return Own;
  }

  // The inner loops of either reference sweep all their positions: each may add any multiple of its step.
  bool addInner(const SCEV *Offset, const Loop *L, bool Forward) {
    for (; L && L != A; L = L->getParentLoop()) {
      const SCEV *Step = Engine.step(Offset, L);
      if (!Step) {
        // Not by the same step each time, but by whole rows.
        if (!(Step = unevenStep(Offset, L)))
          return false;
        Steps.push_back(Step);
        Limits.push_back(std::nullopt);
        continue;
      }
      // Backwards through a row that the other one goes through forwards: where the two meet, the row's ends tell.
      const auto Size = constant(Step), Row = constant(Steps[0]);
      if (!Forward && Size && (!Row || std::abs(*Size) < std::abs(*Row)) && !Engine.tripCount(L) &&
          is_contained(drop_begin(Steps), SE.getNegativeSCEV(Step)))
        return false;
      if (Step->isZero() || isCovered(Step))
        continue;
      // The inner loop goes where the next iterations of A go.
      if (Step == Steps[0] || Step == SE.getNegativeSCEV(Steps[0]))
        return false;
      const unsigned Trips = Engine.tripCount(L);
      const Allowed Own = !Trips    ? std::nullopt
                          : Forward ? Allowed(std::pair(0, std::int64_t(Trips) - 1))
                                    : Allowed(std::pair(1 - std::int64_t(Trips), 0));
      const auto *Known = find(drop_begin(Steps), Step);
      if (Known == Steps.end()) {
        Steps.push_back(Step);
        Limits.push_back(Own);
        continue;
      }
      Allowed &Both = Limits[Known - Steps.begin()];
      Both = Both && Own ? Allowed(std::pair(Both->first + Own->first, Both->second + Own->second)) : std::nullopt;
    }
    return true;
  }

  // What every step of an offset in a loop is a multiple of, where that is the row of A's steps: a span that grows from
  // iteration to iteration (`half *= 2`), counted in rows.
  const SCEV *unevenStep(const SCEV *Offset, const Loop *L) const {
    const SCEV *Row = nullptr;
    for (const SCEV *Term : termsOf(Offset)) {
      if (!Engine.varies(Term, L))
        continue;
      SmallVector<const SCEV *, 4> Kept;
      bool Symbol = false;
      const auto [Constant, Factors] = factorsOf(Term);
      for (const SCEV *F : Factors) {
        const bool Moves = Engine.varies(F, L);
        Symbol |= !Moves;
        if (!Moves)
          Kept.push_back(F);
      }
      if (!Symbol || Factors.size() == Kept.size())
        return nullptr;
      Kept.push_back(SE.getConstant(Offset->getType(), Constant, /*isSigned=*/true));
      const SCEV *Multiple = SE.getMulExpr(Kept);
      if (Row && Row != Multiple && !isMultiple(Row, Multiple) && !isMultiple(Multiple, Row))
        return nullptr;
      Row = !Row || isMultiple(Row, Multiple) ? Multiple : Row;
    }
    return Row;
  }

  // A multiple of what another loop may add any number of times leads nowhere new.
  bool isCovered(const SCEV *Step) const {
    for (unsigned K = 1; K < Steps.size(); ++K)
      if (!Limits[K] && Steps[K] != Step && isMultiple(Step, Steps[K]))
        return true;
    return false;
  }

  // A loop around A that steps as one of the inner loops does leads nowhere that those do not reach.
  const SCEV *distance(const SCEV *OX, const SCEV *OY) const {
    const SCEV *Delta = SE.getMinusSCEV(Engine.atStart(OY, A), Engine.atStart(OX, A));
    for (const Loop *L = A->getParentLoop(); L; L = L->getParentLoop())
      if (const SCEV *Step = Engine.step(Delta, L);
          Step && (is_contained(Steps, Step) || is_contained(Steps, SE.getNegativeSCEV(Step))) && Step != Steps[0])
        Delta = atFirst(Delta, L, SE);
    return Delta;
  }

  // Only a loop of any length takes up any multiple, and within a row of A's every offset counts: a step of unknown
  // size is a row.
  SmallVector<const SCEV *, 4> rows() const {
    SmallVector<const SCEV *, 4> Sweeps;
    for (unsigned K = 1; K < Steps.size(); ++K)
      if (auto Size = constant(Steps[K]), Own = constant(Steps[0]);
          Own && !Limits[K] && (Size ? std::abs(*Size) > std::abs(*Own) : *Own != 0))
        Sweeps.push_back(Steps[K]);
    return Sweeps;
  }

  const Reference &X, &Y;
  const Loop *A;
  StrideEngine &Engine;
  ScalarEvolution &SE;
  SmallVector<const SCEV *, 6> Steps;
  SmallVector<Allowed, 6> Limits;
};
} // namespace

bool meetWithinIteration(const Reference &X, const Reference &Y, const Loop *A, StrideEngine &Engine) {
  auto PX = placeOf(X.Address, Engine), PY = placeOf(Y.Address, Engine);
  if (!PX || !PY)
    return false;
  SmallVector<const Loop *, 8> Loops{A};
  for (const Reference *R : {&X, &Y})
    for (const Loop *L = R->In; L && L != A; L = L->getParentLoop())
      Loops.push_back(L);
  if (PX->Root != PY->Root || areHeldApart(*PX, *PY, Loops, Engine))
    return true;
  bool SameIteration = false;
  Meeting Meet(X, Y, A, Engine);
  // Rows of a table do not overlap: what one dimension tells apart is apart whatever the others say.
  for (unsigned Dim = 0; Dim < PX->Offsets.size(); ++Dim) {
    const SCEV *OX = PX->Offsets[Dim], *OY = PY->Offsets[Dim];
    if (!Dim && areFieldsApart(OX, std::max(X.Bytes, 1u), OY, std::max(Y.Bytes, 1u), Engine))
      return true;
    SameIteration |= OX->getType() == OY->getType() && areInOwnColumns(OX, OY, A, Engine);
    if (PX->Offsets.size() > 1 && OX->getType() == OY->getType() && areApart(OX, X.Bytes, OY, Y.Bytes, Loops, Engine))
      return true;
    const Meeting::Answer Said = Meet.of(OX, OY, /*Innermost=*/Dim == 0, /*Only=*/PX->Offsets.size() == 1);
    if (Said == Meeting::Never)
      return true;
    SameIteration |= Said == Meeting::SameIteration;
  }
  // An address that A does not move is met again by every iteration.
  return SameIteration;
}

} // namespace stridewise
