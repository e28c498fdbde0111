#include "loops/TiledAlternative.h"
#include "loops/LoopOrder.h"
#include "loops/TileLoops.h"
#include "unit/Counted.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

// Whether a branch leads to one of the two or to the other, in each iteration of what is around both.
static bool excludeEachOther(const Loop *A, const Loop *B, const DominatorTree &DT) {
  const BasicBlock *Choice = DT.findNearestCommonDominator(A->getHeader(), B->getHeader());
  if (!Choice)
    return false;
  const auto LeadsTo = [&](const Loop *L) {
    return find_if(successors(Choice),
                   [&](const BasicBlock *Next) { return DT.dominates(BasicBlockEdge(Choice, Next), L->getHeader()); });
  };
  const auto ToA = LeadsTo(A), ToB = LeadsTo(B), None = succ_end(Choice);
  return ToA != None && ToB != None && *ToA != *ToB;
}

static bool worksOn(const Loop *L, ArrayRef<const SCEV *> Roots, StrideEngine &Engine) {
  SmallPtrSet<const SCEV *, 8> Missing(Roots.begin(), Roots.end());
  const auto Take = [&](Value *Pointer) {
    if (!Missing.empty())
      Missing.erase(rootOf(Engine.rewrite(Pointer), Engine));
  };
  for (BasicBlock *BB : L->blocks())
    for (Instruction &I : counted(*BB)) {
      if (Value *Pointer = getLoadStorePointerOperand(&I))
        Take(Pointer);
      if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
        Take(Copy->getRawSource());
        Take(Copy->getRawDest());
      }
    }
  return Missing.empty();
}

bool hasTiledAlternative(const Loop *Plain, ArrayRef<const SCEV *> Roots, Function &F, Unit &U) {
  StrideEngine &Engine = StrideEngine::get(F, U.analyses());
  const DominatorTree &DT = U.analyses().getResult<DominatorTreeAnalysis>(F);
  return any_of(Engine.loops().getLoopsInPreorder(), [&](const Loop *L) {
    return excludeEachOther(Plain, L, DT) && isTileLoop(L, U) && worksOn(L, Roots, Engine);
  });
}

} // namespace stridewise
