#include "library/MpiResult.h"
#include "library/MpiCall.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

// Whether a number is what an MPI call has returned, or has left in its last argument.
static bool isResult(const Value *V) {
  if (const auto *Call = dyn_cast<CallBase>(V))
    return findMpiCall(*Call);
  const auto *Load = dyn_cast<LoadInst>(V);
  if (!Load)
    return false;
  for (const Instruction *I = Load->getPrevNode(); I; I = I->getPrevNode()) {
    const auto *Call = dyn_cast<CallBase>(I);
    if (Call && findMpiCall(*Call))
      return Call->arg_size() && Call->getArgOperand(Call->arg_size() - 1) == Load->getPointerOperand();
    if (I->mayWriteToMemory())
      return false;
  }
  return false;
}

std::optional<unsigned> failureArm(const Instruction &Branch) {
  const auto *Br = dyn_cast<BranchInst>(&Branch);
  const auto *Test = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  const auto *Success = Test && Test->isEquality() ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  if (!Success || !Success->isZero() || !isResult(Test->getOperand(0)))
    return std::nullopt;
  return Test->getPredicate() == CmpInst::ICMP_EQ ? 1 : 0;
}

} // namespace stridewise
