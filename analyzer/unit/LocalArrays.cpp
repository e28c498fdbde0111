// An index that a short loop counts keeps a local array in memory, and with it every address that is made of its
// elements: `offset += index[d] * step[d]`. With the loop unrolled each element is a value of its own.
#include "unit/LocalArrays.h"
#include "thresholds.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace stridewise {
namespace {

using limits::unit::MaxUnrolledTrips;
// What a loop may become: kernels of small matrices stay loops.
constexpr unsigned MaxInstructions = 400;
// Loops inside loops over the same arrays (a row, a column).
constexpr unsigned MaxRounds = 3;
// Instructions that are followed from an element to what is done with it.
constexpr unsigned MaxFollowed = 100;

class LocalArrays {
public:
  LocalArrays(Function &F, FunctionAnalysisManager &FAM)
      : F(F), LI(FAM.getResult<LoopAnalysis>(F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)) {}

  // The innermost loops to unroll. An array of which another loop chooses an element stays in memory all the same.
  SmallSetVector<Loop *, 8> loops() {
    SmallSetVector<Loop *, 8> Short;
    for (Instruction &I : F.getEntryBlock())
      if (auto *Array = dyn_cast<AllocaInst>(&I))
        if (Elements Of; Array->isStaticAlloca() && gather(*Array, Of) && !Of.Over.empty() && makeAddresses(Of.Read))
          Short.insert(Of.Over.begin(), Of.Over.end());
    return Short;
  }

private:
  struct Elements {
    SmallSetVector<Loop *, 4> Over; // the loops that choose one
    SmallVector<Instruction *, 8> Read;
  };

  // Whether an address, or the end of a loop, is computed with one of the elements: other numbers may stay in memory.
  static bool makeAddresses(SmallVector<Instruction *, 8> Work) {
    SmallPtrSet<const Instruction *, 32> Seen;
    while (!Work.empty() && Seen.size() < MaxFollowed) {
      Instruction *I = Work.pop_back_val();
      if (!Seen.insert(I).second)
        continue;
      for (User *U : I->users()) {
        auto *Next = cast<Instruction>(U);
        if (isa<GetElementPtrInst>(Next) || (isa<ICmpInst>(Next) && Next->getOperand(0)->getType()->isIntegerTy()))
          return true;
        if (isa<BinaryOperator, CastInst, PHINode, SelectInst>(Next) && Next->getType()->isIntegerTy())
          Work.push_back(Next);
      }
    }
    return false;
  }

  // Collects what chooses elements of the array and what reads them. False where it is used in any other way than by
  // loads, stores and whole copies, or where what chooses an element is no short loop.
  bool gather(Value &Pointer, Elements &Of) {
    for (User *U : Pointer.users()) {
      auto *I = dyn_cast<Instruction>(U);
      if (!I)
        return false;
      if (auto *Element = dyn_cast<GetElementPtrInst>(I)) {
        if (!Element->hasAllConstantIndices()) {
          Loop *L = LI.getLoopFor(Element->getParent());
          if (!L || !isShort(*L) || !any_of(Element->indices(), [&](Value *Index) { return countsWith(Index, *L); }))
            return false;
          Of.Over.insert(L);
        }
        if (!gather(*Element, Of))
          return false;
        continue;
      }
      bool Fine = isa<LoadInst>(I) || (isa<StoreInst>(I) && cast<StoreInst>(I)->getValueOperand() != &Pointer) ||
                  isa<MemIntrinsic>(I) || I->isLifetimeStartOrEnd();
      if (!Fine)
        return false;
      if (isa<LoadInst>(I))
        Of.Read.push_back(I);
    }
    return true;
  }

  bool isShort(Loop &L) {
    unsigned Trips = SE.getSmallConstantTripCount(&L);
    if (!L.isInnermost() || !Trips || Trips > MaxUnrolledTrips || !L.isLoopSimplifyForm())
      return false;
    unsigned Size = 0;
    for (const BasicBlock *BB : L.blocks())
      Size += BB->size();
    return Size * Trips <= MaxInstructions;
  }

  bool countsWith(Value *Index, const Loop &L) {
    return SE.isSCEVable(Index->getType()) && SE.hasComputableLoopEvolution(SE.getSCEV(Index), &L);
  }

  Function &F;
  LoopInfo &LI;
  ScalarEvolution &SE;
};

bool unroll(Loop &L, Function &F, FunctionAnalysisManager &FAM) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  UnrollLoopOptions Whole{};
  Whole.Count = SE.getSmallConstantTripCount(&L);
  Whole.Force = true;
  return UnrollLoop(&L, Whole, &FAM.getResult<LoopAnalysis>(F), &SE, &FAM.getResult<DominatorTreeAnalysis>(F),
                    &FAM.getResult<AssumptionAnalysis>(F), &FAM.getResult<TargetIRAnalysis>(F),
                    &FAM.getResult<OptimizationRemarkEmitterAnalysis>(F),
                    /*PreserveLCSSA=*/true) != LoopUnrollResult::Unmodified;
}

} // namespace

bool unrollLocalArrays(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (unsigned Round = 0; Round < MaxRounds; ++Round) {
    bool Any = false;
    for (Loop *L : LocalArrays(F, FAM).loops())
      Any |= unroll(*L, F, FAM);
    if (!Any)
      break;
    Changed = true;
  }
  return Changed;
}

} // namespace stridewise
