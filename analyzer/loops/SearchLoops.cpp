#include "loops/SearchLoops.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

static bool isCounted(const Loop &L, const BasicBlock *Exiting, StrideEngine &Engine) {
  return Engine.loops().getLoopFor(Exiting) == &L &&
         !isa<SCEVCouldNotCompute>(Engine.scalarEvolution().getExitCount(&L, Exiting));
}

static bool changesAnything(const BasicBlock *BB) {
  return any_of(*BB, [](const Instruction &I) { return I.mayHaveSideEffects() && !I.isDebugOrPseudoInst(); });
}

bool onlySearches(const LoopNest &N, unsigned Level, StrideEngine &Engine) {
  const Loop *A = N.Loops[Level];
  if (any_of(A->blocks(), changesAnything))
    return false;
  SmallVector<Loop::Edge, 4> Early, Ends;
  for (unsigned K = 0; K <= Level; ++K) {
    Ends.clear();
    N.Loops[K]->getExitEdges(Ends);
    for (const Loop::Edge &Each : Ends) {
      if (isCounted(*N.Loops[K], Each.first, Engine))
        continue;
      if (A->contains(Each.second))
        return false;
      Early.push_back(Each);
    }
  }
  // `Ends` are those of A now.
  const auto HandsOut = [&](const Loop::Edge &Each, const Loop::Edge &As) {
    return Each.second == As.second && all_of(Each.second->phis(), [&](const PHINode &P) {
             const Value *V = P.getIncomingValueForBlock(Each.first);
             return A->isLoopInvariant(V) && V == P.getIncomingValueForBlock(As.first);
           });
  };
  return !Early.empty() && all_of(Early, [&](const Loop::Edge &Each) { return HandsOut(Each, Early.front()); }) &&
         all_of(Ends, [&](const Loop::Edge &Each) { return HandsOut(Each, Each); });
}

const SCEV *countedEnd(const Loop &L, StrideEngine &Engine) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  const SCEV *Only = nullptr;
  for (const BasicBlock *BB : Exiting)
    if (isCounted(L, BB, Engine)) {
      if (Only)
        return nullptr;
      Only = Engine.scalarEvolution().getExitCount(&L, BB);
    }
  return Only;
}

} // namespace stridewise
