// Finds the effective innermost loops of a function and builds their nests.
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include <cmath>
#include <map>
#include <vector>

using namespace llvm;

namespace stridewise {
namespace {

using limits::loops::FollowedStreams;
using limits::loops::MaxAbsorbedTrips;
using limits::loops::MaxWrittenOutTrips;
using limits::loops::MinBlockTrips;
// Functions beyond these sizes are generated code; nothing is said about them rather than spending seconds.
constexpr unsigned MaxLoops = 2000, MaxDepth = 12;
constexpr std::size_t MaxPlanes = 64; // different accesses of a loop that are compared with each other

class NestFinder {
public:
  NestFinder(Function &F, FunctionAnalysisManager &FAM) : F(F), FAM(FAM), LI(FAM.getResult<LoopAnalysis>(F)) {}

  std::vector<LoopNest> find() {
    std::vector<LoopNest> Nests;
    auto Loops = LI.getLoopsInPreorder();
    if (Loops.size() > MaxLoops || none_of(Loops, [](const Loop *L) { return L->getLoopDepth() > 1; }))
      return Nests;
    Engine = &StrideEngine::get(F, FAM);
    for (const Loop *L : reverse(Loops))
      if (L->getParentLoop() && all_of(*L, [&](const Loop *Sub) { return Absorbed.contains(Sub); }) &&
          (isShort(L) || isWindow(L)))
        Absorbed.insert(L);
    for (const Loop *L : Loops)
      if (Absorbed.contains(L) && strides(L))
        Absorbed.erase(L);
    for (const Loop *L : Loops) {
      if (!L->getParentLoop() || L->getLoopDepth() > MaxDepth || Absorbed.contains(L) ||
          !all_of(*L, [&](const Loop *Sub) { return Absorbed.contains(Sub); }))
        continue;
      LoopNest N;
      for (const Loop *Around = L; Around; Around = Around->getParentLoop())
        N.Loops.push_back(Around);
      for (const Loop *Each : N.Loops)
        N.Trips.push_back(Engine->tripCount(Each));
      N.Shift = counterShift(L, L->getParentLoop(), *Engine);
      if (collectReferences(N, F, FAM, *Engine))
        Nests.push_back(std::move(N));
    }
    return Nests;
  }

private:
  template <typename Callback> void forEachAccess(const Loop *L, Callback CB) {
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB))
        if (Value *P = getLoadStorePointerOperand(&I))
          CB(Engine->rewrite(P));
  }

  // Constant length, and what it touches stays in the first-level cache until the next iteration around it.
  bool isShort(const Loop *L) {
    unsigned Trips = Engine->tripCount(L);
    if (!Trips || Trips > MaxAbsorbedTrips || (Trips > MaxWrittenOutTrips && isDimension(L)))
      return false;
    if (losesItsLines(L, Trips))
      return false;
    std::map<std::pair<const SCEV *, std::vector<const SCEV *>>, double> Walks;
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : counted(*BB))
        if (Value *P = getLoadStorePointerOperand(&I)) {
          const SCEV *S = Engine->rewrite(P);
          std::vector<const SCEV *> Steps;
          const double Lines = linesOf(S, L, LI.getLoopFor(BB), Steps);
          double &Most = Walks[{Engine->scalarEvolution().getPointerBase(S), std::move(Steps)}];
          Most = std::max(Most, Lines);
        }
    double Lines = 0;
    for (const auto &[Walk, Each] : Walks)
      Lines += Each;
    return Lines * CacheLineBytes <= FirstLevelBytes;
  }

  // Whether the lines of a walk are gone, or were not fetched ahead, when the next iteration of the loop around comes
  // to them: more of them than the sets that they fall into hold, or each in a page of its own, and more than
  // prefetchers follow. Where the loop around does more than that walk, it is a part of a larger iteration.
  bool losesItsLines(const Loop *L, unsigned Trips) {
    if (!L->isInnermost() || L->getParentLoop()->getSubLoops().size() > 1 || writesBeside(L))
      return false;
    bool Found = false;
    forEachAccess(L, [&](const SCEV *S) {
      const Stride Own = Engine->stride(S, L);
      const double Step = std::abs(static_cast<double>(Own.Bytes));
      Found |=
          (Own.K == Stride::Constant && Trips > linesInSets(Step)) ||
          (Trips > FollowedStreams && (Own.K == Stride::Symbolic || (Own.K == Stride::Constant && Step >= PageBytes)));
    });
    return Found;
  }
  static bool writesBeside(const Loop *L) {
    return any_of(L->getParentLoop()->blocks(), [&](const BasicBlock *BB) {
      return !L->contains(BB) &&
             any_of(*BB, [](const Instruction &I) { return I.mayWriteToMemory() && !I.isDebugOrPseudoInst(); });
    });
  }

  // A walk through planes that looks at the plane before or behind, p[k - 1][j][i]: levels of a grid, not components,
  // of which each means something of its own.
  bool isDimension(const Loop *L) {
    ScalarEvolution &SE = Engine->scalarEvolution();
    SmallVector<const SCEV *, 16> Planes;
    bool Found = false;
    forEachAccess(L, [&](const SCEV *S) {
      const Stride Own = Engine->stride(S, L);
      const SCEV *Step = Engine->step(S, L);
      const bool Far =
          Own.K == Stride::Symbolic || (Own.K == Stride::Constant && std::abs(Own.Bytes) >= std::int64_t(PageBytes));
      if (Found || !Far || !Step || Planes.size() >= MaxPlanes || is_contained(Planes, S))
        return;
      Found = any_of(Planes, [&](const SCEV *Other) {
        if (SE.getPointerBase(S) != SE.getPointerBase(Other))
          return false;
        const SCEV *Apart = Engine->simplify(SE.getMinusSCEV(S, Other));
        return Apart->getType() == Step->getType() &&
               (SE.getMinusSCEV(Apart, Step)->isZero() || SE.getAddExpr(Apart, Step)->isZero());
      });
      Planes.push_back(S);
    });
    return Found;
  }

  // The lines that an address comes by in one run of L, with the loops inside; of a small array no more than it has.
  double linesOf(const SCEV *S, const Loop *L, const Loop *In, std::vector<const SCEV *> &Steps) {
    double Lines = 1, Extent = 0;
    bool Known = true;
    for (;; In = In->getParentLoop()) {
      const unsigned Trips = std::max(1U, Engine->tripCount(In));
      const Stride Step = Engine->stride(S, In);
      Steps.push_back(Engine->step(S, In));
      if (Step.K != Stride::Zero)
        Lines *= 1 + linesPerIteration(Step, 0) * (Trips - 1);
      Known &= Step.K == Stride::Zero || Step.K == Stride::Constant;
      Extent += std::abs(static_cast<double>(Step.Bytes)) * (Trips - 1);
      if (In == L)
        break;
    }
    return Known ? std::min(Lines, 1 + Extent / CacheLineBytes) : Lines;
  }

  // A dimension of a small block, all of which is too large for the first-level cache: the next iteration around it
  // finds nothing of its lines left.
  bool strides(const Loop *L) {
    const Loop *Around = L->getParentLoop();
    const unsigned Trips = Engine->tripCount(L), Outer = Engine->tripCount(Around);
    if (Trips < MinBlockTrips || !Outer || Outer > MaxAbsorbedTrips || Absorbed.contains(Around))
      return false;
    bool Any = false;
    forEachAccess(L, [&](const SCEV *S) {
      const Stride Own = Engine->stride(S, L);
      Any |= Own.K == Stride::Constant && linesPerIteration(Own, CacheLineBytes) >= 1;
    });
    return Any;
  }

  // Every large step of L is also the step of a loop around it: a[i + k][j] in a loop over k within one over i. A table
  // that L walks and no loop around it moves in, the weights of such a window, is in the cache.
  bool isWindow(const Loop *L) {
    bool AnyLarge = false, AllShared = true;
    ScalarEvolution &SE = Engine->scalarEvolution();
    forEachAccess(L, [&](const SCEV *S) {
      Stride Own = Engine->stride(S, L);
      if (Own.K == Stride::Zero || Own.K == Stride::Unknown || linesPerIteration(Own, CacheLineBytes) < 1)
        return;
      const SCEV *Step = Engine->step(S, L);
      bool Shared = false, Moves = false;
      for (const Loop *Around = L->getParentLoop(); Around && !Shared; Around = Around->getParentLoop()) {
        const SCEV *Outer = Engine->step(S, Around);
        Moves |= !Outer || !Outer->isZero();
        Shared = Outer && (Outer == Step || Outer == SE.getNegativeSCEV(Step));
      }
      AnyLarge |= Shared;
      AllShared &= Shared || !Moves;
    });
    return AnyLarge && AllShared;
  }

  Function &F;
  FunctionAnalysisManager &FAM;
  LoopInfo &LI;
  StrideEngine *Engine = nullptr;
  DenseSet<const Loop *> Absorbed;
};

class NestAnalysis : public AnalysisInfoMixin<NestAnalysis> {
public:
  struct Result {
    std::vector<LoopNest> Nests;
  };
  Result run(Function &F, FunctionAnalysisManager &FAM) {
    Meter::Engine In("nests");
    return {NestFinder(F, FAM).find()};
  }

private:
  friend AnalysisInfoMixin<NestAnalysis>;
  static AnalysisKey Key;
};
AnalysisKey NestAnalysis::Key;

} // namespace

std::int64_t counterShift(const Loop *L, const Loop *Around, StrideEngine &Engine) {
  const BasicBlock *Exiting = L->getExitingBlock();
  const auto *Branch = Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
  const auto *Compare = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return 0;
  for (Value *Operand : Compare->operands()) {
    const auto *Counter = dyn_cast<SCEVAddRecExpr>(Engine.rewrite(Operand));
    if (!Counter || Counter->getLoop() != L)
      continue;
    const Stride Step = Engine.stride(Counter, L), Begin = Engine.stride(Counter->getStart(), Around);
    if (Step.K == Stride::Constant && Begin.K == Stride::Constant && Begin.Bytes % Step.Bytes == 0)
      return Begin.Bytes / Step.Bytes;
  }
  return 0;
}

const std::vector<LoopNest> &loopNests(Function &F, FunctionAnalysisManager &FAM) {
  FAM.registerPass([] { return NestAnalysis(); });
  return FAM.getResult<NestAnalysis>(F).Nests;
}

} // namespace stridewise
