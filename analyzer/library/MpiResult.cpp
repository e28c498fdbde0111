#include "library/MpiResult.h"
#include "library/MpiCall.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace stridewise {

std::optional<unsigned> failureArm(const Instruction &Branch) {
  const auto *Br = dyn_cast<BranchInst>(&Branch);
  const auto *Test = Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  const auto *Success = Test && Test->isEquality() ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  const auto *Call = Success && Success->isZero() ? dyn_cast<CallBase>(Test->getOperand(0)) : nullptr;
  if (!Call || !findMpiCall(*Call))
    return std::nullopt;
  return Test->getPredicate() == CmpInst::ICMP_EQ ? 1 : 0;
}

} // namespace stridewise
