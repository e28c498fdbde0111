// Finds the effective innermost loops of a function and builds their nests.
#include "loops/LoopNest.h"
#include "thresholds.h"
#include "unit/Counted.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include <set>

using namespace llvm;

namespace stridewise {
namespace {

using limits::loops::MaxAbsorbedTrips;
// Functions beyond these sizes are generated code; nothing is said about them rather than spending seconds.
constexpr unsigned MaxLoops = 2000, MaxDepth = 12;

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
    for (const Loop *L : Loops) {
      if (!L->getParentLoop() || L->getLoopDepth() > MaxDepth || Absorbed.contains(L) ||
          !all_of(*L, [&](const Loop *Sub) { return Absorbed.contains(Sub); }))
        continue;
      LoopNest N;
      for (const Loop *Around = L; Around; Around = Around->getParentLoop())
        N.Loops.push_back(Around);
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
    if (!Trips || Trips > MaxAbsorbedTrips)
      return false;
    double Lines = 0;
    std::set<std::pair<const SCEV *, const SCEV *>> Walks;
    forEachAccess(L, [&](const SCEV *S) {
      if (!Walks.insert({Engine->scalarEvolution().getPointerBase(S), Engine->step(S, L)}).second)
        return;
      Lines += 1 + linesPerIteration(Engine->stride(S, L), 0) * (Trips - 1);
    });
    return Lines * CacheLineBytes <= FirstLevelBytes;
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

const std::vector<LoopNest> &loopNests(Function &F, FunctionAnalysisManager &FAM) {
  FAM.registerPass([] { return NestAnalysis(); });
  return FAM.getResult<NestAnalysis>(F).Nests;
}

} // namespace stridewise
