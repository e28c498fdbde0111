// Chooses the order of a nest and says how sure the choice is.
#include "loops/LoopOrder.h"
#include "loops/CheapOrders.h"
#include "thresholds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cmath>

using namespace llvm;

namespace stridewise {
namespace {

using namespace limits::loops;

// Every line that is fetched is used: steps within a line, or from one record to the next when all of it is read.
bool isContiguous(const Stride &S, double Footprint) {
  double Step = std::abs(static_cast<double>(S.Bytes));
  return S.K == Stride::Constant && (Step < CacheLineBytes || Step <= Footprint);
}

bool worsens(const LoopNest &N, const ReferenceGroup &G, unsigned Level) {
  const double Then = groupCost(N, G, Level);
  return N.counts(G) && Then > 1 && Then > iterationCost(G.Strides[0], G.Footprint);
}

// A sum as its terms with their factors; the constant has the key null.
using Terms = MapVector<const SCEV *, std::int64_t>;

void addTerms(const SCEV *S, std::int64_t Factor, Terms &To) {
  while (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
    S = Cast->getOperand();
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    for (const SCEV *Each : Sum->operands())
      addTerms(Each, Factor, To);
    return;
  }
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S); Product && Product->getNumOperands() == 2)
    if (const auto *By = dyn_cast<SCEVConstant>(Product->getOperand(0)); By && By->getAPInt().getSignificantBits() < 32)
      return addTerms(Product->getOperand(1), Factor * By->getAPInt().getSExtValue(), To);
  if (const auto *C = dyn_cast<SCEVConstant>(S); C && C->getAPInt().getSignificantBits() < 32)
    To[nullptr] += Factor * C->getAPInt().getSExtValue();
  else
    To[S] += Factor;
}

// Whether the outer loop runs over a length to which what the inner one runs over is added, as the cells of a border
// are: the inner one is then a few cells deep, and the order that walks along the border was chosen for that.
bool isBorder(const Loop *Inner, const Loop *Outer, StrideEngine &Engine) {
  const SCEV *Depth = Engine.backedges(Inner), *Length = Engine.backedges(Outer);
  if (!Depth || !Length)
    return false;
  Terms Short, Long;
  addTerms(Depth, 1, Short);
  addTerms(Length, 1, Long);
  ++Short[nullptr]; // iterations are one more
  if (Short.lookup(nullptr) != 0 || Short.size() < 2)
    return false;
  for (auto [Term, Factor] : Short)
    if (Term && (Factor <= 0 || Long.lookup(Term) < Factor))
      return false;
  return any_of(Long, [&](const auto &Each) { return Each.first && Each.second > 0 && !Short.lookup(Each.first); });
}

// The least that an expression of the run can be before the loop, in size; a factor is one at least where the loop
// moves.
double leastSize(const SCEV *S, const Loop *L, ScalarEvolution &SE) {
  if (const auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt().abs().getLimitedValue();
  if (const auto *Cast = dyn_cast<SCEVCastExpr>(S))
    return leastSize(Cast->getOperand(), L, SE);
  if (const auto *Product = dyn_cast<SCEVMulExpr>(S)) {
    double Least = 1;
    for (const SCEV *Factor : Product->operands())
      Least *= leastSize(Factor, L, SE);
    return Least;
  }
  const SCEV *Guarded = SE.applyLoopGuards(S, L);
  const double Least = std::max(static_cast<double>(SE.getUnsignedRangeMin(Guarded).getLimitedValue()),
                                static_cast<double>(SE.getSignedRangeMin(Guarded).getSExtValue()));
  return std::max(Least, 1.0);
}

// Whether something tells that the group's step leaves its line: the step itself, what is asked of its factors before
// the nest, or the other loop, which walks rows of known length between two steps.
bool leavesLine(const LoopNest &N, unsigned Level, const ReferenceGroup &G, StrideEngine &Engine) {
  const Stride &Now = G.Strides[0], &Then = G.Strides[Level];
  if (Now.K != Stride::Symbolic)
    return true;
  ScalarEvolution &SE = Engine.scalarEvolution();
  double Row = static_cast<double>(SE.getSmallConstantTripCount(N.Loops[Level])) * static_cast<double>(Then.Bytes);
  const SCEV *Step = Engine.step(N.References[G.Members.front()].Address, N.inner());
  return std::abs(Row) >= CacheLineBytes || (Step && leastSize(Step, N.inner(), SE) >= CacheLineBytes);
}

// Whether the loops run from tile to tile: what a tile needs is fetched in either order.
bool walksTiles(const LoopNest &N, StrideEngine &Engine) {
  return any_of(N.References, [&](const Reference &R) {
    double Turns = 1;
    for (const Loop *L = R.In; L && L != N.inner(); L = L->getParentLoop())
      Turns *= std::max(1U, Engine.tripCount(L));
    return Turns > MaxElementTurns;
  });
}

SmallVector<unsigned, 8> gaining(const LoopNest &N, unsigned Level, double MinRatio) {
  SmallVector<unsigned, 8> Found;
  for (unsigned K = 0; K < N.Groups.size(); ++K)
    if (N.counts(N.Groups[K]) && improves(N.Groups[K], Level, MinRatio))
      Found.push_back(K);
  return Found;
}

// Whether the loops change places, and nothing else.
bool isPlain(const ExchangeVerdict &V) {
  return !V.SiblingLoops && !V.CopiesScalars && !V.TestsBound && !V.AsksFormulas && !V.CallsBeside && !V.Searches;
}

Confidence confidence(const LoopNest &N, unsigned Level, const ExchangeVerdict &V, double MinRatio, bool AssumesStep,
                      StrideEngine &Engine) {
  if (V.K == ExchangeVerdict::Unclear || isBorder(N.inner(), N.Loops[Level], Engine) || walksTiles(N, Engine))
    return Confidence::Low;
  if (costsLittle(N, Level, gaining(N, Level, MinRatio), Engine))
    return Confidence::Low;
  bool Exact = any_of(N.Groups, [&](const ReferenceGroup &G) {
    return N.counts(G) && G.Strides[0].K != Stride::Unknown && improves(G, Level, MinRatio);
  });
  // A step that is not known may be none at all; then it takes whole lines to make the other order the better one.
  if (!Exact && none_of(N.Groups, [&](const ReferenceGroup &G) {
        return N.counts(G) && improves(G, Level, MinRatio) && isContiguous(G.Strides[Level], G.Footprint);
      }))
    return Confidence::Low;
  // As many streams as a row has elements, beside elements that are looked up: those decide.
  if (V.TestsBound && any_of(N.Groups, [&](const ReferenceGroup &G) {
        return G.Strides[0].K == Stride::Unknown && G.Strides[Level].K == Stride::Unknown;
      }))
    return Confidence::Low;
  bool Mixed = any_of(N.Groups, [&](const ReferenceGroup &G) {
    return worsens(N, G, Level) || (N.counts(G) && keepsWalks(N, G, Level));
  });
  if (!Exact || AssumesStep || Mixed || N.OnlyGuarded || !isPlain(V) || staysInFirstLevel(N, Level - 1, Engine))
    return Confidence::Medium;
  return Confidence::High;
}

// Whether another inner loop of the moved loop has to stay, and changes the same array along its rows: where only one
// half of a symmetric matrix is stored, a line of it is part of a row and part of a column in any order.
bool isPartOfLine(const LoopNest &N, unsigned Level, Function &F, FunctionAnalysisManager &FAM, StrideEngine &Engine) {
  SmallPtrSet<const SCEV *, 8> Own;
  for (const Reference &R : N.References)
    Own.insert(rootOf(R, Engine));
  const auto GoesAlongRows = [&](const LoopNest &Other) {
    return any_of(Other.Groups, [&](const ReferenceGroup &G) {
      return isContiguous(G.Strides[0], G.Footprint) && any_of(G.Members, [&](unsigned Member) {
               const Reference &R = Other.References[Member];
               return R.Writes && Own.contains(rootOf(R, Engine));
             });
    });
  };
  return any_of(loopNests(F, FAM), [&](const LoopNest &Other) {
    const auto *At = find(Other.Loops, N.Loops[Level]);
    return At != Other.Loops.end() && Other.inner() != N.inner() && GoesAlongRows(Other) &&
           judgeExchange(Other, At - Other.Loops.begin(), F, FAM).K == ExchangeVerdict::Forbidden;
  });
}

} // namespace

bool improves(const ReferenceGroup &G, unsigned Level, double MinRatio) {
  const Stride &Now = G.Strides[0], &Then = G.Strides[Level];
  // Passes over the same lines, for one component of their records each. A row finds them in the cache, an array does
  // not.
  const double Passes = std::abs(static_cast<double>(Now.Bytes)) / std::max(G.Footprint, 1.0);
  const bool IsPass = Now.K == Stride::Constant && Passes >= MinPasses && !G.Small &&
                      all_of(drop_begin(G.Strides, Level + 1), [](const Stride &S) { return S.K == Stride::Zero; });
  // Of a large record most lines are used whole in either order: only those at its ends are fetched twice. Pages count
  // where the next record is in another one.
  if (Now.K == Stride::Constant && std::abs(Now.Bytes) < PageBytes &&
      linesPerIteration(Now, G.Footprint) < MinRatio * linesPerIteration(Then, G.Footprint))
    return false;
  return Now.K != Stride::Zero && (IsPass || !isContiguous(Now, G.Footprint)) && Then.K == Stride::Constant &&
         std::abs(static_cast<double>(Then.Bytes)) <= std::max(G.Footprint, PageBytes * LargestRecordShare) &&
         iterationCost(Now, G.Footprint) >= MinRatio * iterationCost(Then, G.Footprint);
}

std::optional<BetterOrder> betterOrder(const LoopNest &N, Function &F, FunctionAnalysisManager &FAM, double MinRatio,
                                       double MinFootprint) {
  std::optional<BetterOrder> Best;
  StrideEngine *Engine = nullptr;
  double Now = nestCost(N, 0);
  for (unsigned Level = 1; Level < N.Loops.size(); ++Level) {
    double Then = nestCost(N, Level);
    double Ratio = Then > 0 ? Now / Then : 0;
    bool Doubtful = Best && Best->Verdict.K == ExchangeVerdict::Unclear;
    if (Ratio < MinRatio || (Best && !Doubtful && Ratio <= Best->Ratio))
      continue;
    if (none_of(N.Groups, [&](const ReferenceGroup &G) { return N.counts(G) && improves(G, Level, MinRatio); }))
      continue;
    if (Ratio < MinMixedRatio && any_of(N.Groups, [&](const ReferenceGroup &G) { return worsens(N, G, Level); }))
      continue;
    Engine = &StrideEngine::get(F, FAM);
    std::optional<double> Bytes = footprintBytes(N, Level, *Engine);
    if (Bytes && *Bytes <= MinFootprint && !crowdsSets(N, Level, *Engine))
      continue;
    ExchangeVerdict V = judgeExchange(N, Level, F, FAM);
    if (V.K == ExchangeVerdict::Forbidden || (V.K == ExchangeVerdict::Unclear && Best))
      continue;
    bool AssumesStep = none_of(N.Groups, [&](const ReferenceGroup &G) {
      return N.counts(G) && improves(G, Level, MinRatio) && leavesLine(N, Level, G, *Engine);
    });
    Confidence Conf = confidence(N, Level, V, MinRatio, AssumesStep, *Engine);
    if (V.SiblingLoops && isPartOfLine(N, Level, F, FAM, *Engine))
      Conf = Confidence::Low;
    Best = BetterOrder{
        .Nest = &N, .F = &F, .Level = Level, .Ratio = Ratio, .Verdict = V, .AssumesStep = AssumesStep, .Conf = Conf};
  }
  return Best;
}

const SCEV *rootOf(const SCEV *Address, StrideEngine &Engine) {
  const SCEV *Root = Engine.scalarEvolution().getPointerBase(Address);
  while (const SCEV *Entry = Engine.loadedFrom(Root))
    Root = Engine.scalarEvolution().getPointerBase(Entry);
  // A thread's copy of a variable is asked for anew at each use.
  const auto *Unknown = dyn_cast<SCEVUnknown>(Root);
  const auto *Asked = Unknown ? dyn_cast<IntrinsicInst>(Unknown->getValue()) : nullptr;
  if (Asked && Asked->getIntrinsicID() == Intrinsic::threadlocal_address)
    return Engine.scalarEvolution().getSCEV(Asked->getArgOperand(0));
  return Root;
}

const ReferenceGroup *mostImproved(const BetterOrder &O, double MinRatio) {
  const ReferenceGroup *Most = nullptr;
  double Gain = 0;
  for (const ReferenceGroup &G : O.Nest->Groups)
    if (O.Nest->counts(G) && improves(G, O.Level, MinRatio)) {
      double Saved =
          G.Repeats * (iterationCost(G.Strides[0], G.Footprint) - iterationCost(G.Strides[O.Level], G.Footprint));
      // Among equals, a step that can be told exactly.
      if (G.Strides[0].K == Stride::Unknown)
        Saved *= UnknownStepWeight;
      if (Saved > Gain) {
        Gain = Saved;
        Most = &G;
      }
    }
  return Most;
}

} // namespace stridewise
