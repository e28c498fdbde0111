#include "mpi/MessageFinder.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace stridewise {

MessageFinder::MessageFinder(MpiFunction &M, Unit &U, MpiEffects &Effects)
    : M(M), E(M.engine()), LI(E.loops()), Effects(Effects),
      TLI(U.analyses().getResult<TargetLibraryAnalysis>(M.function())),
      Ranges(M, U.analyses().getResult<AAManager>(M.function()),
             U.analyses().getResult<DominatorTreeAnalysis>(M.function())) {
  for (const MpiSite &S : M.sites())
    SiteOf[S.Call] = &S;
}

bool MessageFinder::computes(const Instruction &I) {
  if (isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy())
    return true;
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return Call->getType()->isFPOrFPVectorTy() && !findMpiCall(*Call);
  // Integer work: a stored value that is computed from a loaded one.
  const auto *St = dyn_cast<StoreInst>(&I);
  const auto *Op = St ? dyn_cast<Instruction>(St->getValueOperand()) : nullptr;
  for (unsigned Depth = 0; Op && Depth < 6; ++Depth) {
    if (isa<CastInst>(Op)) {
      Op = dyn_cast<Instruction>(Op->getOperand(0));
      continue;
    }
    if (!isa<BinaryOperator, SelectInst>(Op))
      return false;
    const Instruction *Next = nullptr;
    for (const Value *V : Op->operands())
      if (const auto *In = dyn_cast<Instruction>(V); In && !isa<PHINode, CmpInst>(In))
        Next = In;
    if (Next && isa<LoadInst>(Next))
      return true;
    Op = Next;
  }
  return false;
}

bool MessageFinder::computes(const Loop *L) {
  return any_of(L->blocks(), [](const BasicBlock *BB) { return any_of(*BB, [](auto &I) { return computes(I); }); });
}

bool MessageFinder::isOpaque(const Instruction &I, unsigned Harmless) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<IntrinsicInst>(Call) || findMpiCall(*Call) || isDataFreeCall(*Call, TLI))
    return false;
  unsigned What = Effects.of(I, M);
  return !(What & Harmless) || (What & effects::Work);
}

} // namespace stridewise
